#!/bin/sh
# From a fresh clone to a trained network: installs what is missing, builds, trains a small convolutional network on
# Fashion-MNIST, evaluates it and shows a few predictions. Can be run again: what is there is used.
set -eu
cd "$(dirname "$0")"
. tools/packages.sh

# shellcheck disable=SC2086
need_packages $build_packages dataset-fashion-mnist

data=/usr/share/datasets/fashion-mnist
model=build/fashion-model
program=build/quickstart/thalweg

mkdir -p build
echo "== Building (Release) in build/quickstart"
cmake -S . -B build/quickstart -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DTHALWEG_BUILD_TESTS=OFF -DTHALWEG_BUILD_EXAMPLES=OFF >build/quickstart-configure.log 2>&1 || {
    cat build/quickstart-configure.log >&2; exit 1; }
cmake --build build/quickstart --target thalweg

echo "== Training a convolutional network on Fashion-MNIST ($data)"
"$program" fit "$data" --model cnn --epochs 6 --out "$model" --overwrite

echo "== A few test images, with what the network says and what they are"
"$program" predict "$model" "$data" --show 6

echo "== Evaluating on the 10,000 test images"
accuracy=$("$program" evaluate "$model" "$data" --json | sed -n 's/.*"accuracy": *\([0-9.]*\).*/\1/p' | head -n 1)

cat <<TEXT

The model lies in          $model
TensorBoard files lie in   $model/events   (tensorboard --logdir $model)
Try next:
  $program show $model
  $program fit $data --model mlp --epochs 3 --out build/another-model
  $program help fit
TEXT
LC_ALL=C printf 'test accuracy: %.4f\n' "$accuracy"
