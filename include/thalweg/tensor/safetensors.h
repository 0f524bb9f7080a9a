// safetensors: tensors by name in one file, with nothing in it that runs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// What a file says about one tensor.
struct SafetensorsEntry {
  DType dtype = DType::kInvalid;
  Shape shape;
};

/// Reads a .safetensors file tensor by tensor. Thread-safe.
class SafetensorsReader {
 public:
  /// Reads and checks the header: names that differ, offsets in order that cover the data without
  /// holes or overlap, sizes that fit the shapes. Errors: as ReadableFile; data_loss that says what
  /// is wrong, also that a file is of another format (HDF5, ZIP, pickle).
  explicit SafetensorsReader(std::string path);
  ~SafetensorsReader();
  SafetensorsReader(SafetensorsReader&&) noexcept;
  SafetensorsReader(const SafetensorsReader&) = delete;

  /// Sorted.
  const std::vector<std::string>& names() const;
  /// Throws not_found with the nearest name; unimplemented for an element type that thalweg lacks.
  SafetensorsEntry entry(std::string_view name) const;
  Tensor read(std::string_view name) const;
  /// The writer's own notes.
  const std::map<std::string, std::string>& metadata() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Replaces `path` in one step. In the reference writer's order (by element type, the widest first,
/// then by name), so that the same tensors give the same bytes. Throws invalid_argument for
/// the name "__metadata__" and for element types that the format lacks (strings, quantized).
void write_safetensors(const std::string& path,
                       const std::map<std::string, Tensor, std::less<>>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace thalweg
