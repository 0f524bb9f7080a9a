// How much more memory tensors take than the messages that they come in.
//
// A few bytes may claim any shape, since a short list repeats its last value, and a string of one
// byte takes a whole std::string: a limit for each tensor leaves a file of thousands without one.
#pragma once

#include <cstdint>

#include "proto/tensor.pb.h"

namespace thalweg {

/// Of all tensors of one file together.
class TensorClaims {
 public:
  /// Before the tensor is decoded. Throws resource_exhausted beyond 2 GiB in all.
  void count(const tensorflow::TensorProto& tensor);

 private:
  int64_t bytes_ = 0;
};

}  // namespace thalweg
