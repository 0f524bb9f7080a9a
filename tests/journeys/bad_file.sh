#!/bin/sh
# Journey 3: ten damaged files, ten messages that somebody can act on, ten times the right status.
. "$(dirname "$0")/lib.sh" "$1"
ulimit -c 0

# wrong STATUS FILE WORDS...: fit of the file fails so, naming it and the words.
wrong() {
  wanted=$1; file=$2; shift 2
  status "$wanted" fit "$file" --label y --out model
  one_error
  holds err "$file" "$@"
  [ ! -e model ] || fail "something is left of a fit that failed"
}

good() { awk 'BEGIN { print "a,b,y"; for (i = 0; i < 40; ++i) printf "%d,%d,%d\n", i % 7, i % 5, i % 2 }'; }

: > empty.csv
wrong 1 empty.csv "empty"
echo 'a,b,y' > header.csv
wrong 1 header.csv "no rows"
{ good; echo '1,2,0,9'; } > ragged.csv
wrong 1 ragged.csv ":42" "4" "3"
{ good; echo '1,"2,0'; good; } > quote.csv
wrong 1 quote.csv ":42" "quote"
{ good; echo '1,2,'; } > label.csv
wrong 1 label.csv "row 41" "'y'" "--drop-unlabelled"
printf 'y\n1\n0\n1\n' > lonely.csv
wrong 1 lonely.csv "no column to learn"
head -c 1024 "$program" > noise.csv
wrong 1 noise.csv
good | sed 's/,y$/,z/' > renamed.csv
wrong 1 renamed.csv "'y'" "a,b,z"
good | sed 's/^a,b/a,a/' > twice.csv
wrong 1 twice.csv '"a"'
good | awk -F, -v OFS=, 'NR > 1 { $3 = 1 } { print }' > single.csv
wrong 1 single.csv "class"

# And what is no file at all.
wrong 1 missing.csv "no such file"
mkdir folder
wrong 1 folder "MNIST"
good | gzip -c | head -c 60 > cut.csv.gz
wrong 1 cut.csv.gz
finish
