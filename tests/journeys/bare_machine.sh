#!/bin/sh
# Journey 12: no colour, no terminal, no network, a home that cannot be written, a full disk:
# everything still says what it does.
. "$(dirname "$0")/lib.sh" "$1"

customers > customers.csv
mkdir home
chmod a-w home
bare() { env -i PATH="$PATH" HOME="$place/home" TERM=dumb NO_COLOR=1 THALWEG_PIN=0 "$program" "$@"; }

bare fit customers.csv --label left --model dnn --epochs 3 --out model > out 2> err ||
  fail "fit does not work there"
plain out
plain err
holds err "epoch" "loss"
[ "$(grep -c 'epoch' err)" -le 6 ] || fail "more than a line an epoch"
holds out "accuracy" "baseline"
bare predict model customers.csv > out 2> err || fail "predict does not work there"
plain out
[ -z "$(ls home)" ] || fail "something was written to the home folder"

# Without NO_COLOR, but with no terminal, nothing is coloured either; --color=always asks for it.
thalweg fit customers.csv --label left --model linear --out plain
plain err

# A second time there is nothing left to do, and it says what goes on.
status 0 fit customers.csv --label left --model dnn --epochs 3 --out model --resume
holds err "--epochs 6"

# The log of a training through a pipe holds a line an epoch.
"$program" fit customers.csv --label left --model dnn --epochs 30 --out piped 2>&1 > out | cat > log
plain log
[ "$(wc -l < log)" -le 45 ] || fail "more than a line an epoch"

# A folder that cannot be written (root can write everywhere).
mkdir closed
chmod a-w closed
if ! touch closed/x 2>/dev/null; then
  status 1 fit customers.csv --label left --model linear --out closed/model
  one_error
  holds err "closed"
fi

# A disk that is full: files may not grow beyond 8 blocks of 512 bytes.
(
  trap '' XFSZ
  ulimit -f 8
  "$program" fit customers.csv --label left --model dnn --epochs 1 --out full > small_out 2> small_err
  echo $? > small_status
)
cp small_err err
cp small_out out
[ "$(cat small_status)" = 1 ] || fail "exit status $(cat small_status) on a full disk"
holds err "error: "
status 0 predict model customers.csv --out predictions.csv
(
  trap '' XFSZ
  ulimit -f 8
  "$program" predict model customers.csv --out predictions.csv > small_out 2> small_err
  echo $? > small_status
)
cp small_err err
[ "$(cat small_status)" = 1 ] || fail "exit status $(cat small_status) of predict on a full disk"
holds err "error: " "predictions.csv"
[ "$(wc -l < predictions.csv)" -gt 400 ] || fail "the old predictions are gone"
"$program" predict model customers.csv > /dev/full 2> err && fail "a full stdout is no failure"
holds err "stdout"
finish
