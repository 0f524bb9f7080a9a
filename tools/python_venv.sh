# Makes a Python with TensorFlow for the tests in which real TensorFlow reads our files; sourced by test.sh.
#
#   find_tensorflow FOLDER    sets THALWEG_PYTHON, unless it is set; leaves it empty, and says so, where TensorFlow cannot be had

tensorflow_package="tensorflow-cpu==2.21.0"

find_tensorflow() {
  [ -n "${THALWEG_PYTHON:-}" ] && return 0
  if ! "$1/bin/python" -c "import importlib.metadata as m; m.version('tensorflow-cpu')" >/dev/null 2>&1; then
    echo "== Installing $tensorflow_package into $1 (tests only)"
    rm -rf "$1"
    if ! { python3 -m venv "$1" && timeout 900 "$1/bin/python" -m pip install -q --disable-pip-version-check --retries 1 \
        --timeout 20 "$tensorflow_package"; } >"$1.log" 2>&1; then
      rm -rf "$1"
      echo "TensorFlow cannot be installed here ($(tail -n 1 "$1.log")): tests that need it are skipped"
      return 0
    fi
  fi
  THALWEG_PYTHON="$(cd "$1" && pwd)/bin/python"
  export THALWEG_PYTHON
}
