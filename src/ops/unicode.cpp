// Ops on the characters of strings in a named encoding.
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/string.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

constexpr char kNoNumbers[] = "characters are no numbers to differentiate in";

void check_replacement(ShapeContext& c) {
  const int64_t code = c.attr<int64_t>("replacement_char");
  if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    throw c.error("attribute `replacement_char` is ", code, ", which is no Unicode character");
  }
}

void decode_shape(ShapeContext& c) {
  check_replacement(c);
  const int64_t count = c.input(0).num_elements();
  c.set_output(0, Shape{add_dims(count, 1)});
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, Shape{kUnknownDim});
}

void encode_shape(ShapeContext& c) {
  check_replacement(c);
  c.with_rank(0, 1);
  const Shape splits = c.with_rank(1, 1);
  if (splits[0] == 0) throw c.error("input_splits holds at least one number");
  c.set_output(0, Shape{splits[0] == kUnknownDim ? kUnknownDim : splits[0] - 1});
}

void transcode_shape(ShapeContext& c) {
  check_replacement(c);
  shape_functions::same_as_input(c);
}

constexpr char kEncoding[] =
    "input_encoding: string | 'UTF-8', 'UTF-16-BE', 'US-ASCII', or any other name that ICU knows.";
constexpr char kErrors[] =
    "errors: {'strict', 'replace', 'ignore'} = 'replace' | What is done about bytes that are no "
    "character: an error, the replacement, or nothing.";
constexpr char kReplacement[] = "replacement_char: int = 65533 | Code point of the replacement.";
constexpr char kControl[] =
    "replace_control_characters: bool = false | Whether U+0000 to U+001F are treated as errors "
    "that are replaced.";
constexpr char kSplits[] = "Tsplits: {int32, int64} = int64 | Type of the row splits.";
constexpr char kTarget[] =
    "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'} | Encoding written, without a byte order "
    "mark.";

constexpr OpDef kUnicodeOps[] = {
    {.name = "UnicodeDecode",
     .inputs = {"input: string | Any shape; its strings are rows in row-major order."},
     .outputs = {"row_splits: Tsplits | `[strings + 1]`: where rows begin and end.",
                 "char_values: int32 | Code points of all rows."},
     .attrs = {kEncoding, kErrors, kReplacement, kControl, kSplits},
     .doc = "The code points of each string, as a ragged tensor.",
     .shape = decode_shape,
     .no_gradient = kNoNumbers},
    {.name = "UnicodeDecodeWithOffsets",
     .inputs = {"input: string | Any shape; its strings are rows in row-major order."},
     .outputs = {"row_splits: Tsplits | `[strings + 1]`: where rows begin and end.",
                 "char_values: int32 | Code points of all rows.",
                 "char_to_byte_starts: int64 | Where each begins in its string."},
     .attrs = {kEncoding, kErrors, kReplacement, kControl, kSplits},
     .doc = "UnicodeDecode that tells where each character begins.",
     .shape = decode_shape,
     .no_gradient = kNoNumbers},
    {.name = "UnicodeEncode",
     .inputs = {"input_values: int32 | `[characters]`: code points of all rows.",
                "input_splits: Tsplits | `[rows + 1]`: where rows begin and end."},
     .outputs = {"output: string | `[rows]`."},
     .attrs = {"errors: {'ignore', 'replace', 'strict'} = 'replace' | What is done about numbers "
               "that are no code point, or surrogates.",
               kTarget, kReplacement, kSplits},
     .doc = "Strings from rows of code points.",
     .shape = encode_shape,
     .no_gradient = kNoNumbers},
    {.name = "UnicodeTranscode",
     .inputs = {"input: string | Any shape."},
     .outputs = {"output: string | As the input."},
     .attrs = {kEncoding, kTarget, kErrors, kReplacement, kControl},
     .doc = "Strings from one encoding in another.",
     .shape = transcode_shape,
     .no_gradient = kNoNumbers},
    {.name = "UnicodeScript",
     .inputs = {"input: int32 | Code points of any shape."},
     .outputs =
         {"output: int32 | ICU's number of the script (17 Han, 25 Latin, 8 Cyrillic); -1 for "
          "what is no code point."},
     .attrs = {},
     .doc = "The script that each character belongs to.",
     .shape = shape_functions::same_as_input,
     .no_gradient = kNoNumbers},
};

}  // namespace

std::span<const OpDef> unicode_ops() { return kUnicodeOps; }

}  // namespace thalweg
