#!/bin/sh
# Journey 2: next month's file has its columns moved, one more, and no labels.
. "$(dirname "$0")/lib.sh" "$1"

customers > customers.csv
status 0 fit customers.csv --label left --ids customer --ignore remark --out model --quiet

# The same customers, as a spreadsheet of other habits would write them: columns moved, a new one,
# commas, no label; and one town that nobody has seen.
awk 'BEGIN {
  print "town,shoe size,\"income, EUR\",customer,age"
  print "Bonn,42,2000,9007199254740993,30"
  print "Ulm,43,,9007199254740994,60"
  print "Paris,44,1500,007,25"
}' > march.csv
status 0 predict model march.csv --out predictions.csv
holds err "columns not used: shoe size" "'town': 1 cell" "never seen" "3 rows are in predictions.csv"
[ ! -s out ] || fail "something is on stdout"
[ "$(wc -l < predictions.csv)" = 4 ] || fail "a row is lost"
head -1 predictions.csv > head
holds head "customer,left,p(no),p(yes)"
cut -d, -f1 predictions.csv | tr '\n' ' ' > ids
holds ids "customer 9007199254740993 9007199254740994 007 "

# A label that is there does not matter, whatever stands in it.
awk -F, 'NR == 1 { print "left," $0 } NR == 2 { print "yes," $0 } NR > 2 { print "," $0 }' \
  march.csv > labelled.csv
status 0 predict model labelled.csv
holds err "the label column left of the data is not looked at"
same out predictions.csv
"$program" predict model - < march.csv > out 2> err || fail "stdin is not read"
same out predictions.csv
status 0 predict model march.csv --json
[ "$(grep -c '"schema":1' out)" = 3 ] || fail "there are not three lines of JSON"

status 1 evaluate model march.csv
one_error
holds err "left" "march.csv"
printf 'town,customer,age\nBonn,1,30\n' > short.csv
status 1 predict model short.csv
one_error
holds err "income, EUR" "town" "age"
finish
