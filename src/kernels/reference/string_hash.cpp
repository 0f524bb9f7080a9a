// Hashes of strings, bit for bit TensorFlow's: buckets of features must stay what they were when a
// model was trained.
#include <farmhash.h>

#include <bit>
#include <cstring>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/text.h"

namespace thalweg {

namespace {

uint64_t little_endian(const char* bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

// SipHash-2-4 (Aumasson and Bernstein 2012).
uint64_t sip_hash(std::string_view text, uint64_t key0, uint64_t key1) {
  uint64_t v0 = key0 ^ 0x736f6d6570736575u;
  uint64_t v1 = key1 ^ 0x646f72616e646f6du;
  uint64_t v2 = key0 ^ 0x6c7967656e657261u;
  uint64_t v3 = key1 ^ 0x7465646279746573u;
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  };
  const auto compress = [&](uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  };
  const size_t whole = text.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) compress(little_endian(text.data() + i, 8));
  compress(little_endian(text.data() + whole, text.size() - whole) | uint64_t{text.size()} << 56);
  v2 ^= 0xff;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace

uint64_t reference::fingerprint64(std::string_view bytes) {
  return util::Fingerprint64(bytes.data(), bytes.size());
}

uint64_t reference::strong_hash64(std::string_view bytes, uint64_t key0, uint64_t key1) {
  return sip_hash(bytes, key0, key1);
}

namespace {

// MurmurHash64A with TensorFlow's seed.
uint64_t old_hash(std::string_view text) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995u;
  uint64_t hash = 0xDECAFCAFFEu ^ (text.size() * kFactor);
  while (text.size() >= 8) {
    uint64_t word = little_endian(text.data(), 8) * kFactor;
    word = (word ^ word >> 47) * kFactor;
    hash = (hash ^ word) * kFactor;
    text.remove_prefix(8);
  }
  if (!text.empty()) hash = (hash ^ little_endian(text.data(), text.size())) * kFactor;
  hash = (hash ^ hash >> 47) * kFactor;
  return hash ^ hash >> 47;
}

template <class F>
KernelPtr make_buckets(const KernelRequest& request, F hash) {
  const auto buckets = static_cast<uint64_t>(request.node.attr<int64_t>("num_buckets"));
  return reference::map_strings<int64_t>(request, [buckets, hash](const std::string& text) {
    return static_cast<int64_t>(hash(text) % buckets);
  });
}

KernelPtr make_fast(const KernelRequest& request) {
  return make_buckets(request, reference::fingerprint64);
}

KernelPtr make_strong(const KernelRequest& request) {
  const auto& key = request.node.attr<reference::Ints>("key");
  return make_buckets(request,
                      [a = static_cast<uint64_t>(key.at(0)), b = static_cast<uint64_t>(key.at(1))](
                          std::string_view text) { return sip_hash(text, a, b); });
}

KernelPtr make_old(const KernelRequest& request) { return make_buckets(request, old_hash); }

void write_bytes(uint64_t value, uint8_t* out) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<uint8_t>(value >> (8 * i));
}

// A row of several strings is hashed by the hashes of its strings.
uint64_t hash_strings(const std::string* strings, int64_t count) {
  if (count == 1) return reference::fingerprint64(*strings);
  std::string hashes(static_cast<size_t>(count) * 8, '\0');
  for (int64_t i = 0; i < count; ++i)
    write_bytes(reference::fingerprint64(strings[i]),
                reinterpret_cast<uint8_t*>(hashes.data()) + i * 8);
  return reference::fingerprint64(hashes);
}

KernelPtr make_fingerprint(const KernelRequest& request) {
  const TensorSpec& data = request.inputs[0];
  if (!reference::has_elements(data.dtype) || data.dtype == kVariant) return nullptr;
  return make_kernel([dtype = data.dtype, rows = data.shape[0],
                      row_size = data.shape.slice(1).num_elements()](KernelContext& c) {
    if (const std::string& method = *c.input<std::string>(1); method != "farmhash64")
      throw invalid_argument("`method` is '", method, "'; only 'farmhash64' is known");
    const size_t row_bytes = static_cast<size_t>(row_size) * element_size(dtype);
    for (int64_t i = 0; i < rows; ++i) {
      const uint64_t hash =
          dtype == kString
              ? hash_strings(c.input<std::string>(0) + i * row_size, row_size)
              : reference::fingerprint64(
                    {c.input<char>(0) + static_cast<size_t>(i) * row_bytes, row_bytes});
      write_bytes(hash, c.output<uint8_t>() + i * 8);
    }
  });
}

constexpr KernelDef kKernels[] = {
    {"StringToHashBucketFast", "reference", make_fast},
    {"StringToHashBucketStrong", "reference", make_strong},
    {"StringToHashBucket", "reference", make_old},
    {"Fingerprint", "reference", make_fingerprint},
};

}  // namespace

std::span<const KernelDef> reference_string_hash_kernels() { return kKernels; }

}  // namespace thalweg
