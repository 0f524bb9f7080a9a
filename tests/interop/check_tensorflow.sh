#!/bin/sh
# Real TensorFlow loads what we export and gives the same numbers.
#   check_tensorflow.sh THALWEG EXPORT_EXAMPLE TOOLS VOCABULARY_EXAMPLE      exit status 77 (skipped) without THALWEG_PYTHON
set -eu
if [ -z "${THALWEG_PYTHON:-}" ]; then
  echo "skipped: THALWEG_PYTHON names no Python with TensorFlow"
  exit 77
fi
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
"$2" "$folder"
"$4" "$folder/vocabulary"
"$THALWEG_PYTHON" "$3/check_tensorflow_loads.py" "$1" "$folder/frozen" "$folder/with_variables" "$folder/vocabulary"
"$THALWEG_PYTHON" "$3/check_tensorflow_reads.py" --checkpoint "$folder/weights"
