// Functions of the bits of integers.
#include "ops/binary_rows.h"
#include "ops/families.h"

namespace thalweg {
namespace {

constexpr const char* kIntegers =
    "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64} | Element type.";

constexpr OpDef bits(std::string_view name, std::string_view doc, bool commutative = false) {
  return {.name = name,
          .inputs = {rows::kLeft, rows::kRight},
          .outputs = {"z: T | The broadcast shape."},
          .attrs = {kIntegers},
          .doc = doc,
          .shape = shape_functions::broadcast_inputs,
          .no_gradient = "it works on integers",
          .commutative = commutative};
}

constexpr OpDef kOps[] = {
    bits("BitwiseAnd", "Bits that are set in both.", true),
    bits("BitwiseOr", "Bits that are set in either.", true),
    bits("BitwiseXor", "Bits that are set in one alone.", true),
    bits("LeftShift", "x shifted left by y bits, y brought into [0, bits of T)."),
    bits("RightShift",
         "x shifted right by y bits, keeping its sign, y brought into [0, bits of "
         "T)."),
    {.name = "Invert",
     .inputs = {"x: T | Any shape."},
     .outputs = {"y: T | The shape of `x`."},
     .attrs = {kIntegers},
     .doc = "All bits the other way.",
     .shape = shape_functions::same_as_input,
     .no_gradient = "it works on integers"},
    {.name = "PopulationCount",
     .inputs = {"x: T | Any shape."},
     .outputs = {"y: uint8 | The shape of `x`."},
     .attrs = {kIntegers},
     .doc = "How many bits are set.",
     .shape = shape_functions::same_as_input,
     .no_gradient = "it works on integers"},
};

}  // namespace

std::span<const OpDef> bitwise_ops() { return kOps; }

}  // namespace thalweg
