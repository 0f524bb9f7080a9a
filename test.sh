#!/bin/sh
# Installs what is missing, builds everything, and runs every test. Can be run again.
#   ./test.sh [release|asan|tsan]     which configuration; default release
set -eu
cd "$(dirname "$0")"
. tools/packages.sh
. tools/python_venv.sh
preset="${1:-ci}"
[ "$preset" = release ] && preset=ci

# shellcheck disable=SC2086
need_packages $build_packages libgtest-dev python3 python3-venv dataset-fashion-mnist

# Real TensorFlow reads what we write, where the package index can be reached.
mkdir -p build
[ "$preset" != ci ] || find_tensorflow build/venv

# Real data for tests, where it is at hand; tests that miss it say so and are skipped.
if [ -z "${THALWEG_DATA:-}" ] && [ -d ../shared/data ]; then
  THALWEG_DATA="$(cd ../shared/data && pwd)"
  export THALWEG_DATA
fi

echo "== Configuring build/$preset"
cmake --preset "$preset"
echo "== Building"
cmake --build --preset "$preset"
echo "== Checking that each public header compiles alone"
[ "$preset" != ci ] || cmake --build --preset "$preset" --target all_verify_interface_header_sets

export TSAN_OPTIONS="suppressions=$PWD/tools/tsan.supp ${TSAN_OPTIONS:-}"
echo "== Testing"
report="build/$preset/junit.xml"
status=0
ctest --preset "$preset" -j2 --output-junit "$PWD/$report" || status=$?

python3 - "$report" <<'TEXT'
import sys
import xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
total, failed = int(suite.get("tests", 0)), int(suite.get("failures", 0))
skipped = int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
print(f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped")
TEXT
exit "$status"
