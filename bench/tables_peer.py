#!/usr/bin/env python3
"""The peers of bench_tables: a CSV file read by pandas' C engine or by pyarrow, in a process of its own.

Usage: tables_peer.py pandas|pyarrow|pyarrow-line-breaks FILE THREADS       reads numbers of runs, writes seconds a run
"""

import sys
import time


def make_reader(peer, path, threads):
    if peer == "pandas":
        import pandas

        return lambda: pandas.read_csv(path, engine="c")
    if peer.startswith("pyarrow"):
        import pyarrow
        from pyarrow import csv

        pyarrow.set_cpu_count(threads)
        pyarrow.set_io_thread_count(1)
        read = csv.ReadOptions(use_threads=threads > 1)
        parse = csv.ParseOptions(newlines_in_values=peer.endswith("line-breaks"))
        return lambda: csv.read_csv(path, read_options=read, parse_options=parse)
    sys.exit(__doc__)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    peer, path, threads = sys.argv[1:]
    read = make_reader(peer, path, int(threads))
    read()
    for line in sys.stdin:
        count = int(line)
        begin = time.perf_counter()
        for _ in range(count):
            read()
        print(f"{(time.perf_counter() - begin) / count:.9f}", flush=True)


if __name__ == "__main__":
    main()
