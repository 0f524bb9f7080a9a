#!/bin/sh
# Journey 1: somebody fits a spreadsheet's export with one text label, and types no other command.
. "$(dirname "$0")/lib.sh" "$1"

customers > customers.csv
status 0 fit customers.csv --label left --out model
for word in "400 rows, 6 columns" "town" "income, EUR" "was chosen, as its log_loss" "baseline" \
  "accuracy" "label \\ predicted" "seed" "peak memory" "thalweg fit customers.csv"; do
  holds out "$word"
done
holds err "delimiter: semicolon" "taken for classes, as they are text"
plain out
plain err
for file in model.json report.md report.html report.json model_card.md config.toml; do
  [ -s "model/$file" ] || fail "model/$file is missing"
done
holds model/report.html "<svg" "prefers-color-scheme" "Confusion"
lacks model/report.html "<script" "http://" "src="
holds model/model_card.md "license:" "(to fill in)" "income, EUR"
holds model/config.toml 'label = ["left"]' "seed = 1"

# It is better than guessing, and can be trusted to gate.
status 0 evaluate model customers.csv --require "accuracy>=0.8" --json
status 1 evaluate model customers.csv --require "accuracy>=0.999"
holds err "accuracy>=0.999" "it is 0."

# The saved configuration does it again, to the bit.
status 0 fit --config model/config.toml --out again --quiet
status 0 predict model customers.csv --quiet
cp out first
status 0 predict again customers.csv --quiet
same out first
status 2 fit customers.csv --label left --out model
holds err "holds a model" "--overwrite"
status 0 show model
holds out "town" "Classes" "yes"
finish
