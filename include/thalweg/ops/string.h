// Building nodes that work on strings: join and split, numbers to and from text, regular
// expressions, hashes, characters.
//
// A string is a sequence of bytes, which may hold zeros; functions that count characters say so.
// Each function adds the op of the same name (StringJoin, RegexReplace, ...) with TensorFlow's
// meaning; src/ops/string.cpp and unicode.cpp document them in full. None has a gradient.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct StringOptions {
  std::string name = {};
};
struct JoinOptions {
  std::string separator = {};
  bool keep_dims = false;  // of reduce_join: joined axes stay, with size 1
  std::string name = {};
};
/// The strings at each place of several tensors joined; scalars go with each place.
Output string_join(const std::vector<Output>& parts, const JoinOptions& options = {});
/// Strings joined along `axes`, the first of which varies fastest.
Output reduce_join(const Output& x, const IntVector& axes, const JoinOptions& options = {});
/// The strings of each segment joined: `[num_segments, ...]`.
Output unsorted_segment_join(const Output& x, const Output& segment_ids, const Output& num_segments,
                             const JoinOptions& options = {});
/// `text` with a placeholder `%s` for each tensor, which are written as TensorFlow prints them.
Output string_format(const std::string& text, const std::vector<Output>& values,
                     const StringOptions& options = {});

/// Parts of `[batch]` strings: a sparse `[batch, most parts]` matrix.
struct SplitStrings {
  Output indices;  // int64 [parts, 2]
  Output values;   // string [parts]
  Output shape;    // int64 [2]
};
struct StringSplitOptions {
  int64_t maxsplit = -1;  // at most this many splits a string; negative: any number
  std::string name = {};
};
/// Splits at `separator`; an empty one splits at runs of white space. TensorFlow's StringSplitV2.
SplitStrings string_split(const Output& x, const std::string& separator = {},
                          const StringSplitOptions& options = {});

/// What a position or a length counts: bytes, or characters of UTF-8.
enum class TextUnit { kByte, kUtf8Char };
/// Parts of strings from `pos` on, `len` units long at most; both integers of one shape that
/// broadcasts with x. Negative positions count from the end.
Output substr(const Output& x, const Output& pos, const Output& len,
              TextUnit unit = TextUnit::kByte, const StringOptions& options = {});
/// int32 lengths.
Output string_length(const Output& x, TextUnit unit = TextUnit::kByte,
                     const StringOptions& options = {});
struct CaseOptions {
  std::string encoding = {};  // "utf-8", or empty: only ASCII letters change
  std::string name = {};
};
Output string_lower(const Output& x, const CaseOptions& options = {});
Output string_upper(const Output& x, const CaseOptions& options = {});
/// Without ASCII white space at both ends.
Output string_strip(const Output& x, const StringOptions& options = {});

/// Reads numbers of float32, float64, int32, int64, uint32 or uint64.
Output string_to_number(const Output& x, DType dtype = kFloat32, const StringOptions& options = {});
struct AsStringOptions {
  int64_t precision = -1;  // digits after the point; negative: 6
  bool scientific = false;
  bool shortest = false;  // as C's %g
  int64_t width = -1;
  std::string fill = {};  // "", " ", "0", "+" or "-"
  std::string name = {};
};
/// Numbers as text.
Output as_string(const Output& x, const AsStringOptions& options = {});

struct RegexOptions {
  bool replace_global = true;  // every match, or only the first
  std::string name = {};
};
/// Replaces what `pattern` (RE2's syntax) matches by `rewrite`, in which \0 to \9 stand for groups.
/// TensorFlow's StaticRegexReplace.
Output regex_replace(const Output& x, const std::string& pattern, const std::string& rewrite,
                     const RegexOptions& options = {});
/// Whether `pattern` matches the whole string. TensorFlow's StaticRegexFullMatch.
Output regex_full_match(const Output& x, const std::string& pattern,
                        const StringOptions& options = {});

/// int64 numbers in [0, num_buckets) by FarmHash's Fingerprint64.
Output string_to_hash_bucket_fast(const Output& x, int64_t num_buckets,
                                  const StringOptions& options = {});
/// The same by SipHash-2-4 under a key of two numbers.
Output string_to_hash_bucket_strong(const Output& x, int64_t num_buckets,
                                    const std::vector<int64_t>& key,
                                    const StringOptions& options = {});
/// Base64 in the alphabet for URLs, unpadded; decoding takes padding too.
Output encode_base64(const Output& x, const StringOptions& options = {});
Output decode_base64(const Output& x, const StringOptions& options = {});

}  // namespace thalweg
