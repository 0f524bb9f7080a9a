#!/bin/sh
# Fails when docs/ops.md is not what the program prints.
#   check_manual.sh PROGRAM MANUAL
"$1" ops --markdown | diff -u "$2" - && exit 0
echo "write it anew: $1 ops --markdown >docs/ops.md" >&2
exit 1
