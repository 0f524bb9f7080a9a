// NumPy's files: one array (.npy) or several by name (.npz).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// The array that the bytes of a .npy file hold. Byte strings (`S`) and text (`U`, as UTF-8) become
/// strings; big-endian and column-major arrays are turned round. Errors: data_loss for bytes that
/// are no such file, are cut short or hold more than the header says; unimplemented naming the
/// descr for object arrays (pickles, which are programs) and element types that thalweg lacks.
Tensor parse_npy(std::string_view bytes);
/// The bytes of a .npy file of version 1.0. bfloat16 has no name
/// there: throws unimplemented for it, strings and variants; cast first.
std::string encode_npy(const Tensor& tensor);

/// The same for files; errors name the file.
Tensor read_npy(const std::string& path);
void write_npy(const std::string& path, const Tensor& tensor);

/// A .npz file: a ZIP archive of .npy members, stored or deflated. Thread-safe.
class NpzReader {
 public:
  /// Reads the list of members only. Errors: as read_file; data_loss for what is no such archive.
  explicit NpzReader(std::string path);
  ~NpzReader();
  NpzReader(NpzReader&&) noexcept;
  NpzReader(const NpzReader&) = delete;

  /// Without the ending ".npy", in the order of the archive.
  const std::vector<std::string>& names() const;
  /// Errors: not_found with the nearest name; data_loss for a wrong checksum; what parse_npy
  /// throws.
  Tensor read(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All arrays of a .npz file.
std::map<std::string, Tensor, std::less<>> read_npz(const std::string& path);
/// Stores the arrays under their names, in their order, uncompressed as NumPy's savez does. Throws
/// invalid_argument for an empty name.
void write_npz(const std::string& path, const std::map<std::string, Tensor, std::less<>>& arrays);

}  // namespace thalweg
