#!/bin/sh
# Searches for bytes that break a parser, with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer (needs clang).
#   tools/fuzz.sh [SECONDS [ENTRY...]]     twenty minutes each, all entries of tests/fuzz
# What breaks one is left in build/fuzz/findings; mend it and put the bytes into tests/fuzz/corpus/ENTRY, where every build
# replays them.
set -eu
cd "$(dirname "$0")/.."
seconds="${1:-1200}"
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^thalweg_fuzz(\([a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)

cmake --preset fuzz
targets=""
for entry in "$@"; do targets="$targets fuzz_$entry"; done
# shellcheck disable=SC2086
cmake --build build/fuzz --target $targets

mkdir -p build/fuzz/findings
status=0
for entry in "$@"; do
  mkdir -p "build/fuzz/corpus/$entry"
  log="build/fuzz/$entry.log"
  if "build/fuzz/tests/fuzz/fuzz_$entry" -max_total_time="$seconds" -print_final_stats=1 -rss_limit_mb=4096 \
      -artifact_prefix="build/fuzz/findings/$entry-" "build/fuzz/corpus/$entry" "tests/fuzz/corpus/$entry" >"$log" 2>&1; then
    result="no finding"
  else
    result="FINDING, see $log"
    status=1
  fi
  printf '%-14s %12s executions  %s\n' "$entry" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$result"
done
exit "$status"
