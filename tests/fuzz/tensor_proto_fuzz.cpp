// TensorProto bytes: a tensor that comes back the same, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "thalweg/base/error.h"
#include "thalweg/formats/tensor_proto.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const thalweg::Tensor tensor =
        thalweg::decode_tensor({reinterpret_cast<const char*>(data), size});
    // A few bytes may stand for a large tensor of one value: not worth the time here.
    if (tensor.num_elements() > 1 << 16) return 0;
    if (!thalweg::decode_tensor(thalweg::encode_tensor(tensor)).same_bits(tensor)) std::abort();
  } catch (const thalweg::Error&) {
  }
  return 0;
}
