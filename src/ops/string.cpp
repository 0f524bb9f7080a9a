// Ops on the strings of a tensor, one by one or joined; strings are bytes unless an op says
// otherwise.
#include "thalweg/ops/string.h"

#include <algorithm>

#include "ops/families.h"
#include "ops/known_values.h"
#include "ops/reduction_shape.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr char kNoNumbers[] = "its input or its output is no number";
constexpr char kInput[] = "input: string | Any shape.";
constexpr char kSameShape[] = "output: string | As the input.";

using shape_functions::same_as_input;

void join_shape(ShapeContext& c) {
  Shape joined;
  bool any_unknown = false;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).has_rank()) {
      any_unknown = true;
    } else if (c.input(i).rank() > 0) {
      if (joined.rank() > 0 && !joined.is_compatible_with(c.input(i))) {
        throw c.error("inputs must be scalars or of one shape, got ", joined, " and ", c.input(i));
      }
      joined = joined.rank() > 0 ? joined.merge(c.input(i)) : c.input(i);
    }
  }
  c.set_output(0, any_unknown && joined.rank() == 0 ? Shape::unknown() : joined);
}

void segment_join_shape(ShapeContext& c) {
  const Shape& x = c.input(0);
  const Shape& ids = c.input(1);
  if (c.input(2).has_rank()) c.with_rank(2, 0);
  if (!x.has_rank() || !ids.has_rank()) return c.set_output(0, Shape::unknown());
  if (ids.rank() > x.rank() || !ids.is_compatible_with(x.slice(0, ids.rank()))) {
    throw c.error("segment_ids have shape ", ids, ", which is no prefix of the inputs' ", x);
  }
  const auto segments = known_scalar(c, 2);
  c.set_output(0, Shape{segments.value_or(kUnknownDim)}.concat(x.slice(ids.rank())));
}

void split_shape(ShapeContext& c) {
  c.with_rank(0, 1);
  c.set_output(0, Shape{kUnknownDim, 2});
  c.set_output(1, Shape{kUnknownDim});
  c.set_output(2, Shape{2});
}

void split_once_shape(ShapeContext& c) {
  if (c.input(1).has_rank()) c.with_rank(1, 0);
  split_shape(c);
}

void substr_shape(ShapeContext& c) {
  const Shape& pos = c.input(1);
  if (!pos.is_compatible_with(c.input(2))) {
    throw c.error("pos has shape ", pos, ", len ", c.input(2), "; they must be one shape");
  }
  const bool known = c.input(0).has_rank() && pos.has_rank();
  if (known && !can_broadcast(c.input(0), pos)) {
    throw c.error("pos of shape ", pos, " does not broadcast with the input's ", c.input(0));
  }
  c.set_output(0, known ? broadcast(c.input(0), pos) : Shape::unknown());
}

void strings_of_utf8(ShapeContext& c) {
  const auto& encoding = c.attr<std::string>("encoding");
  if (!encoding.empty() && encoding != "utf-8") {
    throw c.error("attribute `encoding` is 'utf-8' or '' (bytes), got '", encoding, "'");
  }
  same_as_input(c);
}

void pattern_shape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.input(i).has_rank()) c.with_rank(i, 0);
  }
  same_as_input(c);
}

void strong_hash_shape(ShapeContext& c) {
  const auto& key = c.attr<std::vector<int64_t>>("key");
  if (key.size() != 2) throw c.error("attribute `key` has two numbers, got ", key);
  same_as_input(c);
}

void ngrams_shape(ShapeContext& c) {
  c.with_rank(0, 1);
  for (int64_t width : c.attr<std::vector<int64_t>>("ngram_widths")) {
    if (width < 1) throw c.error("attribute `ngram_widths` holds ", width, "; widths are positive");
  }
  c.set_output(0, Shape{kUnknownDim});
  c.set_output(1, c.with_rank(1, 1));
}

void fingerprint_shape(ShapeContext& c) {
  const Shape data = c.with_rank_at_least(0, 1);
  if (c.input(1).has_rank()) c.with_rank(1, 0);
  c.set_output(0, Shape{data.has_rank() ? data[0] : kUnknownDim, 8});
}

// The shape that a constant `shape` vector of a sparse tensor gives, without its last dimension.
void edit_distance_shape(ShapeContext& c) {
  for (int i : {0, 3}) c.with_rank(i, 2);
  for (int i : {1, 2, 4, 5}) c.with_rank(i, 1);
  const auto hypothesis = known_values(c.node(), 2);
  const auto truth = known_values(c.node(), 5);
  if (!hypothesis || !truth) {
    const Shape& size = c.input(2).is_fully_defined() ? c.input(2) : c.input(5);
    const bool known = size.is_fully_defined() && size[0] >= 1 && size[0] <= Shape::kMaxRank;
    return c.set_output(
        0, known ? Shape::unknown_of_rank(static_cast<int>(size[0]) - 1) : Shape::unknown());
  }
  if (hypothesis->size() != truth->size() || truth->size() < 2) {
    throw c.error("the shapes of hypothesis and truth need one rank of at least 2, got ",
                  *hypothesis, " and ", *truth);
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i + 1 < truth->size(); ++i)
    dims.push_back(std::max((*hypothesis)[i], (*truth)[i]));
  c.set_output(0, Shape(dims));
}

constexpr char kUnit[] =
    "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE' | Whether bytes or characters are counted.";
constexpr char kBuckets[] = "num_buckets: int >= 1 | The hash is taken modulo this.";
constexpr char kBucket[] = "output: int64 | A number in [0, num_buckets) for each string.";
constexpr char kGlobal[] =
    "replace_global: bool = true | Whether every match is replaced, or only the first.";

constexpr OpDef kStringOps[] = {
    {.name = "StringJoin",
     .inputs = {"inputs: N * string | Scalars, which go with each, or tensors of one shape."},
     .outputs = {"output: string | Shape of those that are no scalars."},
     .attrs = {"N: int >= 0 | Number of inputs.",
               "separator: string = '' | Stands between two parts."},
     .doc = "Joins the strings at each place of several tensors.",
     .shape = join_shape,
     .no_gradient = kNoNumbers},
    {.name = "ReduceJoin",
     .inputs = {"inputs: string | Any shape.",
                "reduction_indices: int32 | Axes to join over; the first varies fastest. None: "
                "the inputs stay as they are."},
     .outputs = {"output: string | The inputs' shape without the axes."},
     .attrs = {"keep_dims: bool = false | Whether joined axes stay, with size 1.",
               "separator: string = '' | Stands between two parts."},
     .doc = "Joins strings along axes.",
     .shape = reduction_shape,
     .no_gradient = kNoNumbers},
    {.name = "UnsortedSegmentJoin",
     .inputs = {"inputs: string | Shape of the ids, then any.",
                "segment_ids: Tindices | Segment of each part, in [0, num_segments).",
                "num_segments: Tnumsegments | A scalar."},
     .outputs = {"output: string | `[num_segments, ...]`."},
     .attrs = {"separator: string = '' | Stands between two parts.",
               "Tindices: {int32, int64} | Type of the ids.",
               "Tnumsegments: {int32, int64} = int32 | Type of the number of segments."},
     .doc = "Joins the strings of each segment in their order; a segment without any is empty.",
     .shape = segment_join_shape,
     .no_gradient = kNoNumbers},
    {.name = "StringFormat",
     .inputs = {"inputs: T | Tensors of any types and shapes."},
     .outputs = {"output: string | A scalar."},
     .attrs = {"T: list(type) >= 0 | Types of the inputs.",
               "template: string = '%s' | Text with as many placeholders as inputs.",
               "placeholder: string = '%s' | What is replaced.",
               "summarize: int = 3 | Elements shown at both ends of each dimension; -1: all."},
     .doc = "Writes tensors into a text, as TensorFlow prints them.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers},
    {.name = "StringSplit",
     .inputs = {"input: string | `[batch]`.",
                "delimiter: string | A scalar: each of its bytes parts. Empty: every byte is a "
                "part."},
     .outputs = {"indices: int64 | `[parts, 2]`: row and place of each part.",
                 "values: string | `[parts]`.",
                 "shape: int64 | `[2]`: batch and most parts of a row."},
     .attrs = {"skip_empty: bool = true | Whether empty parts are left out."},
     .doc = "Splits strings at any of some bytes, into a sparse matrix.",
     .shape = split_once_shape,
     .no_gradient = kNoNumbers},
    {.name = "StringSplitV2",
     .inputs = {"input: string | `[batch]`.",
                "sep: string | A scalar. Empty: runs of white space part, and empty parts are left "
                "out."},
     .outputs = {"indices: int64 | `[parts, 2]`: row and place of each part.",
                 "values: string | `[parts]`.",
                 "shape: int64 | `[2]`: batch and most parts of a row."},
     .attrs = {"maxsplit: int = -1 | At most this many splits a row; negative: any number."},
     .doc = "Splits strings at a separator as Python's str.split does, into a sparse matrix.",
     .shape = split_once_shape,
     .no_gradient = kNoNumbers},
    {.name = "Substr",
     .inputs = {kInput,
                "pos: T | Where each part begins; negative counts from the end. Broadcasts with "
                "the input.",
                "len: T | How long it is at most; shape of pos."},
     .outputs = {"output: string | Broadcast shape."},
     .attrs = {"T: {int32, int64} | Type of positions.", kUnit},
     .doc = "Parts of strings. A position outside a string is an error; a length past its end is "
            "cut.",
     .shape = substr_shape,
     .no_gradient = kNoNumbers},
    {.name = "StringLength",
     .inputs = {kInput},
     .outputs = {"output: int32 | As the input."},
     .attrs = {kUnit},
     .doc = "Lengths of strings. In UTF8_CHAR every byte counts that continues no character.",
     .shape = same_as_input,
     .no_gradient = kNoNumbers},
    {.name = "StringLower",
     .inputs = {kInput},
     .outputs = {kSameShape},
     .attrs = {"encoding: string = '' | 'utf-8', or '': only ASCII letters change."},
     .doc = "Lower case. In utf-8, bytes that are no character become U+FFFD.",
     .shape = strings_of_utf8,
     .no_gradient = kNoNumbers},
    {.name = "StringUpper",
     .inputs = {kInput},
     .outputs = {kSameShape},
     .attrs = {"encoding: string = '' | 'utf-8', or '': only ASCII letters change."},
     .doc = "Upper case. In utf-8, bytes that are no character become U+FFFD.",
     .shape = strings_of_utf8,
     .no_gradient = kNoNumbers},
    {.name = "StringStrip",
     .inputs = {kInput},
     .outputs = {kSameShape},
     .attrs = {},
     .doc = "Strings without ASCII white space at both ends.",
     .shape = same_as_input,
     .no_gradient = kNoNumbers},
    {.name = "StringToNumber",
     .inputs = {"string_tensor: string | Any shape."},
     .outputs = {"output: out_type | As the input."},
     .attrs = {"out_type: {float, double, int32, int64, uint32, uint64} = float | Type read."},
     .doc = "Reads each string as a number, white space around it allowed. A string that is none, "
            "or an integer out of range, is an error; a real out of range becomes infinite or 0.",
     .shape = same_as_input,
     .no_gradient = kNoNumbers},
    {.name = "AsString",
     .inputs = {"input: T | Any shape."},
     .outputs = {kSameShape},
     .attrs = {"T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
               "uint32, uint64, complex64, complex128, bool, string} | Type written.",
               "precision: int = -1 | Digits after the point of reals; negative: 6.",
               "scientific: bool = false | Reals with an exponent: 1.5e+00.",
               "shortest: bool = false | Reals as C's %g.",
               "width: int = -1 | At least this many characters, but for bool.",
               "fill: string = '' | What widens: '' or ' ' in front, '0', '+' (a sign), or '-' "
               "(behind)."},
     .doc = "Writes each element as C's printf does.",
     .shape = same_as_input,
     .no_gradient = kNoNumbers},
    {.name = "RegexReplace",
     .inputs = {kInput, "pattern: string | A scalar: a regular expression in RE2's syntax.",
                "rewrite: string | A scalar: the replacement, \\0 to \\9 standing for groups."},
     .outputs = {kSameShape},
     .attrs = {kGlobal},
     .doc = "Replaces what a regular expression matches.",
     .shape = pattern_shape,
     .no_gradient = kNoNumbers},
    {.name = "StaticRegexReplace",
     .inputs = {kInput},
     .outputs = {kSameShape},
     .attrs = {"pattern: string | A regular expression in RE2's syntax.",
               "rewrite: string | The replacement, \\0 to \\9 standing for groups.", kGlobal},
     .doc = "RegexReplace with pattern and replacement as attributes.",
     .shape = same_as_input,
     .no_gradient = kNoNumbers},
    {.name = "RegexFullMatch",
     .inputs = {kInput, "pattern: string | A scalar: a regular expression in RE2's syntax."},
     .outputs = {"output: bool | As the input."},
     .attrs = {},
     .doc = "Whether a regular expression matches the whole string.",
     .shape = pattern_shape,
     .no_gradient = kNoNumbers},
    {.name = "StaticRegexFullMatch",
     .inputs = {kInput},
     .outputs = {"output: bool | As the input."},
     .attrs = {"pattern: string | A regular expression in RE2's syntax."},
     .doc = "RegexFullMatch with the pattern as an attribute.",
     .shape = same_as_input,
     .no_gradient = kNoNumbers},
    {.name = "StringToHashBucketFast",
     .inputs = {kInput},
     .outputs = {kBucket},
     .attrs = {kBuckets},
     .doc = "FarmHash's Fingerprint64 of each string, modulo num_buckets.",
     .shape = same_as_input,
     .no_gradient = kNoNumbers},
    {.name = "StringToHashBucketStrong",
     .inputs = {kInput},
     .outputs = {kBucket},
     .attrs = {kBuckets, "key: list(int) | Two numbers: the 128 bits of the key."},
     .doc =
         "SipHash-2-4 of each string under a key, modulo num_buckets: nobody without the key can "
         "make strings that collide.",
     .shape = strong_hash_shape,
     .no_gradient = kNoNumbers},
    {.name = "StringToHashBucket",
     .inputs = {"string_tensor: string | Any shape."},
     .outputs = {kBucket},
     .attrs = {kBuckets},
     .doc = "TensorFlow's oldest hash of each string, modulo num_buckets; for old graphs.",
     .shape = same_as_input,
     .no_gradient = kNoNumbers},
    {.name = "Fingerprint",
     .inputs = {"data: T | `[batch, ...]`.", "method: string | A scalar: 'farmhash64'."},
     .outputs = {"fingerprint: uint8 | `[batch, 8]`."},
     .attrs = {"T: type | Element type."},
     .doc = "Eight bytes that identify each row's contents.",
     .shape = fingerprint_shape,
     .no_gradient = kNoNumbers},
    {.name = "EncodeBase64",
     .inputs = {kInput},
     .outputs = {kSameShape},
     .attrs = {"pad: bool = false | Whether '=' fills the last group of four."},
     .doc = "Base64 in the alphabet for URLs ('-' and '_').",
     .shape = same_as_input,
     .no_gradient = kNoNumbers},
    {.name = "DecodeBase64",
     .inputs = {kInput},
     .outputs = {kSameShape},
     .attrs = {},
     .doc = "Reads Base64 in the alphabet for URLs, padded or not.",
     .shape = same_as_input,
     .no_gradient = kNoNumbers},
    {.name = "StringNGrams",
     .inputs = {"data: string | `[values]`: the words of all rows.",
                "data_splits: Tsplits | `[rows + 1]`: where rows begin and end."},
     .outputs = {"ngrams: string | `[ngrams]`.", "ngrams_splits: Tsplits | `[rows + 1]`."},
     .attrs = {"separator: string | Stands between words.",
               "ngram_widths: list(int) >= 0 | Words in an n-gram; those of the first width come "
               "first in a row.",
               "left_pad: string | Padding in front of a row.", "right_pad: string | Behind it.",
               "pad_width: int | Padding words at each end; at most width - 1 are used, all of "
               "them when negative.",
               "preserve_short_sequences: bool | Whether a row too short for any n-gram gives "
               "itself.",
               "Tsplits: {int32, int64} = int64 | Type of the splits."},
     .doc = "The n-grams of each row of a ragged tensor.",
     .shape = ngrams_shape,
     .no_gradient = kNoNumbers},
    {.name = "EditDistance",
     .inputs = {"hypothesis_indices: int64 | `[h, rank]`, ascending.",
                "hypothesis_values: T | `[h]`.", "hypothesis_shape: int64 | `[rank]`.",
                "truth_indices: int64 | `[t, rank]`, ascending.", "truth_values: T | `[t]`.",
                "truth_shape: int64 | `[rank]`."},
     .outputs = {"output: float | The larger of both shapes without the last dimension."},
     .attrs = {"normalize: bool = true | Whether distances are divided by the truth's lengths; "
               "by an empty truth that gives infinity.",
               "T: type | Element type."},
     .doc = "Levenshtein distances between sequences along the last dimension of two sparse "
            "tensors.",
     .shape = edit_distance_shape,
     .no_gradient = "it is a count of whole steps"},
};

}  // namespace

std::span<const OpDef> string_ops() { return kStringOps; }

}  // namespace thalweg
