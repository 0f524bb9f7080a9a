// Attribute values as TensorFlow's AttrValue.
#pragma once

#include <optional>
#include <string_view>

#include "proto/attr_value.pb.h"
#include "thalweg/graph/attr.h"

namespace thalweg {

void to_proto(const AttrValue& value, tensorflow::AttrValue* out);

/// The type that an attribute or an argument names: also one that no value can have (a resource),
/// and an old reference, which is its type here. Throws unimplemented.
DType type_from_proto(int type);

/// The value, of the kind that an op's row asks for ("list(int)"), which tells what an empty list
/// is one of; with an empty `kind` of the kind that it shows itself. Empty when thalweg has no such
/// value: a list of tensors, a function with attributes of its own, an empty list of no known kind.
/// Throws invalid_argument for another kind than asked for, and what tensors throw.
std::optional<AttrValue> attr_from_proto(const tensorflow::AttrValue& value, std::string_view kind);

/// Attributes that a node carries along without a meaning here stand in its AttrMap under names
/// that begin so: what an op's row does not know, as it is, and what no AttrValue can hold, as the
/// bytes of the message. Graph files get them back as they were.
inline constexpr std::string_view kKeptAttr = "_kept:";
inline constexpr std::string_view kKeptBytes = "_bytes:";
/// Fields of the node's message that thalweg does not know, as bytes.
inline constexpr std::string_view kNodeFields = "_fields:";

/// Puts one attribute of a node where its value survives.
void keep_attr(const std::string& name, const tensorflow::AttrValue& value, AttrMap& attrs);
/// Writes an entry of an AttrMap, kept or not, under the name it had in the file.
void write_attr(const std::string& name, const AttrValue& value,
                google::protobuf::Map<std::string, tensorflow::AttrValue>& out);

}  // namespace thalweg
