# What the journeys share: a place to work in, and checks that say what was expected.
# Usage: . lib.sh PROGRAM

set -u
program=$1
case $program in /*) ;; *) program=$PWD/$program ;; esac
place=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$place" 2>/dev/null; rm -rf "$place"' EXIT
cd "$place" || exit 1
failures=0

thalweg() { "$program" "$@" >out 2>err </dev/null; }

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
  echo "--- stdout"; head -c 2000 out
  echo "--- stderr"; head -c 2000 err
}

# status WANTED COMMAND...: runs it, and looks at its exit status.
status() {
  wanted=$1; shift
  thalweg "$@"
  got=$?
  [ "$got" = "$wanted" ] || fail "exit status $got instead of $wanted of: thalweg $*"
}

# holds FILE WORDS...: each of the words stands in the file.
holds() {
  file=$1; shift
  for word in "$@"; do
    grep -qF -- "$word" "$file" || fail "$file lacks: $word"
  done
}

lacks() {
  file=$1; shift
  for word in "$@"; do
    if grep -qF -- "$word" "$file"; then fail "$file holds: $word"; fi
  done
}

# Neither escape sequences nor carriage returns.
plain() {
  if LC_ALL=C grep -q "$(printf '[\033\r]')" "$1"; then fail "$1 holds escapes or carriage returns"; fi
}

# one_error: stderr ends with one line "error: ...", and nothing is on stdout.
one_error() {
  [ "$(grep -c '^error: ' err)" = 1 ] || fail "there is not one line of error"
  [ ! -s out ] || fail "something is on stdout"
}

same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }

finish() {
  [ "$failures" = 0 ] || { echo "$failures failures"; exit 1; }
  echo "all is well"
  exit 0
}

# A spreadsheet's export of 400 customers: mark of byte order, CRLF, semicolons, quotes, gaps,
# a line break in a cell; no end of the last line.
customers() {
  awk 'BEGIN {
    printf "\357\273\277customer;age;town;\"income, EUR\";remark;left\r\n"
    for (i = 0; i < 400; ++i) {
      age = 20 + (i * 7) % 50
      town = i % 3 == 0 ? "Bonn" : i % 3 == 1 ? "K\303\266ln" : "Ulm"
      income = i % 11 == 0 ? "" : 1000 + (i * 37) % 3000
      remark = i % 50 == 3 ? "\"two\nlines; and \"\"quotes\"\"\"" : "fine"
      left = (age > 45) != (town == "Ulm") ? "yes" : "no"
      if (i % 29 == 0) left = left == "yes" ? "no" : "yes"
      printf "%s;%d;%s;%s;%s;%s%s", "90071992547" (40993 + i), age, town, income, remark, left, \
        i == 399 ? "" : "\r\n"
    }
  }'
}
