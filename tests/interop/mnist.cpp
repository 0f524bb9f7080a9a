#include "interop/mnist.h"

#include <algorithm>
#include <cmath>

#include "thalweg/base/file.h"
#include "thalweg/data/idx.h"

namespace thalweg::interop {
namespace {

constexpr int64_t kBatch = 1000;

}  // namespace

double mnist_accuracy(const std::string& data, const Shape& shape,
                      const std::function<Tensor(const Tensor&)>& classify) {
  const std::string folder = join_path(data, "mnist");
  const Tensor images = data::read_idx_tensor(join_path(folder, "t10k-images-idx3-ubyte.gz"));
  const Tensor labels = data::read_idx_tensor(join_path(folder, "t10k-labels-idx1-ubyte.gz"));
  const int64_t pixels = images.num_elements() / images.shape()[0];
  int64_t right = 0;
  for (int64_t first = 0; first < images.shape()[0]; first += kBatch) {
    Shape batch = shape;
    batch.set_dim(0, kBatch);
    Tensor input(kFloat32, batch);
    const auto bytes = images.data<uint8_t>().subspan(static_cast<size_t>(first * pixels));
    const auto values = input.mutable_data<float>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(bytes[i]) / 255;
    const Tensor scores = classify(input);
    const auto numbers = scores.data<float>();
    for (int64_t i = 0; i < kBatch; ++i) {
      const auto row = numbers.subspan(static_cast<size_t>(i * 10), 10);
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      right += best == labels.data<uint8_t>()[static_cast<size_t>(first + i)] ? 1 : 0;
    }
  }
  return 100.0 * static_cast<double>(right) / static_cast<double>(images.shape()[0]);
}

std::string check_percent(double percent, double known) {
  // A digit at the border may go either way with other kernels.
  if (std::abs(percent - known) > 0.025) {
    throw internal_error(percent, " % of MNIST's test digits right, known are ", known, " %");
  }
  return str(known, " %");
}

}  // namespace thalweg::interop
