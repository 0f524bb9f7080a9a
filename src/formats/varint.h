// The variable-length integers that LevelDB tables, string tensors and protobuf share: seven bits a
// byte, low ones first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace thalweg {

void append_varint(std::string& out, uint64_t value);

/// Takes one off the front of `bytes`; empty, and `bytes` as before, when there is no whole one.
std::optional<uint64_t> take_varint(std::string_view& bytes);

}  // namespace thalweg
