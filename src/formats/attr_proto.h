// Attribute values as TensorFlow's AttrValue.
#pragma once

#include "proto/attr_value.pb.h"
#include "thalweg/graph/attr.h"

namespace thalweg {

void to_proto(const AttrValue& value, tensorflow::AttrValue* out);

}  // namespace thalweg
