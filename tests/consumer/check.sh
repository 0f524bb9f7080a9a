#!/bin/sh
# Installs a build into a temporary prefix and builds a consumer against it: by find_package, static and shared, and by
# pkg-config.
#   check.sh BUILD_FOLDER C++_COMPILER
set -eu
build="$1"
compiler="$2"
here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }

for shared in OFF ON; do
  cmake -S "$here" -B "$work/build-$shared" -DCMAKE_PREFIX_PATH="$work/prefix" -DBUILD_SHARED_LIBS="$shared" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
  cmake --build "$work/build-$shared" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
  echo "find_package, BUILD_SHARED_LIBS=$shared:"
  "$work/build-$shared/consumer"
done

pc="$(dirname "$(find "$work/prefix" -name thalweg.pc)")"
# shellcheck disable=SC2046
PKG_CONFIG_PATH="$pc" sh -c '"$0" "$1"/main.cpp -o "$2" $(pkg-config --define-variable=prefix="$3" --cflags --libs thalweg)' \
  "$compiler" "$here" "$work/consumer" "$work/prefix"
echo "pkg-config:"
LD_LIBRARY_PATH="$(dirname "$pc")" "$work/consumer"
