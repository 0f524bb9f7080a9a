// What kernels on strings share: one loop over the elements, and pieces of text that several write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "thalweg/base/parallel.h"
#include "thalweg/kernels/kernel.h"

namespace thalweg::reference {

/// Output 0, of the shape of input 0, holds f(element) for each: f(const std::string&) -> T.
template <class T, class F>
KernelPtr map_strings(const KernelRequest& request, F f) {
  const int64_t count = request.inputs[0].shape.num_elements();
  return make_kernel([count, f = std::move(f)](KernelContext& c) {
    const auto* x = c.input<std::string>(0);
    T* y = c.output<T>();
    parallel_for(count, 256, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = f(x[i]);
    });
  });
}

/// Whether the byte continues a character of UTF-8.
inline bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// ASCII white space: space, \t, \n, \v, \f, \r.
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// `text` read as a number of the type, white space around it allowed, as TensorFlow reads it; a
/// real out of range becomes infinite or 0. False when it is none, or an integer out of range.
bool read_number(std::string_view text, float& value);
bool read_number(std::string_view text, double& value);
bool read_number(std::string_view text, int32_t& value);
bool read_number(std::string_view text, int64_t& value);
bool read_number(std::string_view text, uint32_t& value);
bool read_number(std::string_view text, uint64_t& value);

/// Whole characters changed to lower or upper case (in unicode.cpp).
std::string utf8_lower(const std::string& text);
std::string utf8_upper(const std::string& text);

/// FarmHash's Fingerprint64 (in string_hash.cpp).
uint64_t fingerprint64(std::string_view bytes);
/// SipHash-2-4 of the bytes: no one without the key can choose strings that collide.
uint64_t strong_hash64(std::string_view bytes, uint64_t key0, uint64_t key1);

}  // namespace thalweg::reference
