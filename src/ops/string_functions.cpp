#include "ops/add_op.h"
#include "thalweg/ops/string.h"

namespace thalweg {
namespace {

std::string unit_name(TextUnit unit) { return unit == TextUnit::kByte ? "BYTE" : "UTF8_CHAR"; }

}  // namespace

Output string_join(const std::vector<Output>& parts, const JoinOptions& options) {
  return add_op("StringJoin", parts, {{"separator", options.separator}}, options.name);
}

Output reduce_join(const Output& x, const IntVector& axes, const JoinOptions& options) {
  return add_op("ReduceJoin", {x, axes.in(x.graph(), kInt32)},
                {{"separator", options.separator}, {"keep_dims", options.keep_dims}}, options.name);
}

Output unsorted_segment_join(const Output& x, const Output& segment_ids, const Output& num_segments,
                             const JoinOptions& options) {
  return add_op("UnsortedSegmentJoin", {x, segment_ids, num_segments},
                {{"separator", options.separator}}, options.name);
}

Output string_format(const std::string& text, const std::vector<Output>& values,
                     const StringOptions& options) {
  return add_op("StringFormat", values, {{"template", text}}, options.name);
}

SplitStrings string_split(const Output& x, const std::string& separator,
                          const StringSplitOptions& options) {
  Graph& graph = x.graph();
  const Output sep =
      graph.add("Const", {}, {{"dtype", kString}, {"value", Tensor(separator)}}).output();
  Node& node = graph.add("StringSplitV2", {x, sep}, {{"maxsplit", options.maxsplit}},
                         {.name = options.name});
  return {node.output(0), node.output(1), node.output(2)};
}

Output substr(const Output& x, const Output& pos, const Output& len, TextUnit unit,
              const StringOptions& options) {
  return add_op("Substr", {x, pos, len}, {{"unit", unit_name(unit)}}, options.name);
}

Output string_length(const Output& x, TextUnit unit, const StringOptions& options) {
  return add_op("StringLength", {x}, {{"unit", unit_name(unit)}}, options.name);
}

Output string_lower(const Output& x, const CaseOptions& options) {
  return add_op("StringLower", {x}, {{"encoding", options.encoding}}, options.name);
}

Output string_upper(const Output& x, const CaseOptions& options) {
  return add_op("StringUpper", {x}, {{"encoding", options.encoding}}, options.name);
}

Output string_strip(const Output& x, const StringOptions& options) {
  return add_op("StringStrip", {x}, {}, options.name);
}

Output string_to_number(const Output& x, DType dtype, const StringOptions& options) {
  return add_op("StringToNumber", {x}, {{"out_type", dtype}}, options.name);
}

Output as_string(const Output& x, const AsStringOptions& options) {
  return add_op("AsString", {x},
                {{"precision", options.precision},
                 {"scientific", options.scientific},
                 {"shortest", options.shortest},
                 {"width", options.width},
                 {"fill", options.fill}},
                options.name);
}

Output regex_replace(const Output& x, const std::string& pattern, const std::string& rewrite,
                     const RegexOptions& options) {
  return add_op(
      "StaticRegexReplace", {x},
      {{"pattern", pattern}, {"rewrite", rewrite}, {"replace_global", options.replace_global}},
      options.name);
}

Output regex_full_match(const Output& x, const std::string& pattern, const StringOptions& options) {
  return add_op("StaticRegexFullMatch", {x}, {{"pattern", pattern}}, options.name);
}

Output string_to_hash_bucket_fast(const Output& x, int64_t num_buckets,
                                  const StringOptions& options) {
  return add_op("StringToHashBucketFast", {x}, {{"num_buckets", num_buckets}}, options.name);
}

Output string_to_hash_bucket_strong(const Output& x, int64_t num_buckets,
                                    const std::vector<int64_t>& key, const StringOptions& options) {
  return add_op("StringToHashBucketStrong", {x}, {{"num_buckets", num_buckets}, {"key", key}},
                options.name);
}

Output encode_base64(const Output& x, const StringOptions& options) {
  return add_op("EncodeBase64", {x}, {}, options.name);
}

Output decode_base64(const Output& x, const StringOptions& options) {
  return add_op("DecodeBase64", {x}, {}, options.name);
}

}  // namespace thalweg
