#include "thalweg/data/idx.h"

#include <algorithm>
#include <array>

#include "data/packed_reader.h"
#include "thalweg/base/file.h"

namespace thalweg::data {
namespace {

DType dtype_of_code(uint8_t code) {
  switch (code) {
    case 0x08: return kUInt8;
    case 0x09: return kInt8;
    case 0x0B: return kInt16;
    case 0x0C: return kInt32;
    case 0x0D: return kFloat32;
    case 0x0E: return kFloat64;
    default: return kInvalid;
  }
}

void read_header(PackedReader& reader, void* out, size_t size, const std::string& path) {
  if (reader.read(out, size) != size) throw data_loss(path, ": ends inside its idx header");
}

// Files are big-endian, the machines thalweg runs on little-endian.
void swap_bytes(Tensor& tensor) {
  const size_t size = element_size(tensor.dtype());
  if (size == 1) return;
  auto* bytes = static_cast<std::byte*>(tensor.mutable_raw());
  for (size_t i = 0; i < tensor.byte_size(); i += size) std::reverse(bytes + i, bytes + i + size);
}

Tensor labels_of(const std::string& path) {
  Tensor labels = read_idx_tensor(path);
  if (labels.rank() != 1 || !is_integer(labels.dtype())) {
    throw invalid_argument(path, ": labels are a vector of integers, but this file holds ",
                           labels.dtype(), labels.shape(),
                           "; are images and labels the wrong way round?");
  }
  return labels.cast(kInt64);
}

/// The first of the usual spellings that exists, or empty; what was looked for is added to `tried`.
std::string find_file(const std::string& folder, const std::string& stem, const std::string& kind,
                      std::vector<std::string>& tried) {
  for (const char* separator : {"-", "."}) {
    for (const char* suffix : {"", ".gz"}) {
      tried.push_back(stem + separator + kind + suffix);
      std::string path = join_path(folder, tried.back());
      if (file_exists(path) && !is_folder(path)) return path;
    }
  }
  return {};
}

}  // namespace

Tensor read_idx_tensor(const std::string& path) {
  PackedReader reader(path);
  std::array<uint8_t, 4> magic{};
  read_header(reader, magic.data(), magic.size(), path);
  const DType dtype = dtype_of_code(magic[2]);
  if (magic[0] != 0 || magic[1] != 0 || dtype == kInvalid) {
    throw invalid_argument(path, ": is no idx file: it starts with bytes ",
                           std::vector<int>(magic.begin(), magic.end()),
                           ", expected 0, 0, a type (8, 9, 11 to 14) and the rank");
  }
  const int rank = magic[3];
  if (rank < 1 || rank > Shape::kMaxRank) {
    throw invalid_argument(path, ": an idx file of rank ", rank, "; 1 to ", Shape::kMaxRank,
                           " can be read");
  }
  Shape shape = Shape::unknown_of_rank(rank);
  uint64_t bytes = element_size(dtype);
  bool too_large = false;
  for (int i = 0; i < rank; ++i) {
    std::array<uint8_t, 4> dim{};
    read_header(reader, dim.data(), dim.size(), path);
    const uint64_t value =
        uint64_t{dim[0]} << 24 | uint64_t{dim[1]} << 16 | uint64_t{dim[2]} << 8 | dim[3];
    shape.set_dim(i, static_cast<int64_t>(value));
    too_large = __builtin_mul_overflow(bytes, value, &bytes) || too_large;
  }
  const auto shorter = [&](std::string_view found, uint64_t count) {
    return data_loss(path, ": is shorter than its header says: ", dtype, shape, " expected, ",
                     found, count, " bytes");
  };
  const uint64_t most =
      reader.most_bytes_left();  // so that a damaged header does not ask for all memory
  if (too_large || bytes > most) throw shorter("followed by at most ", most);
  Tensor result(dtype, shape);
  if (const size_t found = reader.read(result.mutable_raw(), bytes); found != bytes)
    throw shorter("found ", found);
  if (!reader.at_end()) {
    throw data_loss(path, ": is longer than its header says: more bytes follow the ", bytes, " of ",
                    dtype, shape);
  }
  swap_bytes(result);
  return result;
}

Dataset read_idx(const std::string& images_path, const std::string& labels_path) {
  Tensor images = read_idx_tensor(images_path);
  Tensor labels = labels_of(labels_path);
  if (images.dim(0) != labels.dim(0)) {
    throw invalid_argument(images_path, " holds ", images.dim(0), " examples, but ", labels_path,
                           " ", labels.dim(0), " labels; they do not belong together");
  }
  return Dataset::from_tensors({std::move(images), std::move(labels)});
}

Dataset read_idx_folder(const std::string& folder, Split split) {
  if (!is_folder(folder)) {
    if (file_exists(folder))
      throw invalid_argument(folder, ": is a file, expected a folder in MNIST's layout");
    throw not_found(folder, ": there is no such folder");
  }
  const std::string stem = split == Split::kTrain ? "train" : "t10k";
  std::vector<std::string> tried;
  const std::string images = find_file(folder, stem + "-images", "idx3-ubyte", tried);
  if (!images.empty()) tried.clear();
  const std::string labels = find_file(folder, stem + "-labels", "idx1-ubyte", tried);
  if (images.empty() || labels.empty()) {
    throw not_found(folder, ": holds no ", images.empty() ? "images" : "labels", " for ",
                    split == Split::kTrain ? "training" : "testing",
                    " in MNIST's layout; looked for ", join(tried, ", "));
  }
  return read_idx(images, labels);
}

}  // namespace thalweg::data
