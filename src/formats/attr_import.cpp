#include "formats/attr_import.h"

#include <algorithm>

#include "formats/attr_proto.h"

namespace thalweg {
namespace {

// How an op is run, where, or what its state is called in a debugger: no result depends on them.
constexpr std::string_view kNoMeaning[] = {"allowed_devices",
                                           "config",
                                           "config_proto",
                                           "debug_name",
                                           "executor_type",
                                           "grad_a",
                                           "grad_b",
                                           "parallel_iterations",
                                           "swap_memory",
                                           "use_cudnn_on_gpu",
                                           "use_locking",
                                           "validate_shape",
                                           "use_inter_op_parallelism"};

// A number alone must not ask for more outputs than any graph has.
void check_output_counts(const OpSchema& op, const AttrMap& attrs) {
  constexpr int64_t kMostOutputs = 100'000;
  for (const ArgSchema& arg : op.outputs) {
    const auto it = attrs.find(arg.number_attr);
    const auto* count = it == attrs.end() ? nullptr : std::get_if<int64_t>(&it->second);
    if (count != nullptr && *count > kMostOutputs) {
      throw resource_exhausted("it asks for ", *count, " outputs, more than ", kMostOutputs);
    }
  }
}

}  // namespace

bool is_harmless(std::string_view name, const tensorflow::AttrValue& value) {
  if (name.starts_with('_')) return true;
  if (std::find(std::begin(kNoMeaning), std::end(kNoMeaning), name) != std::end(kNoMeaning)) {
    return true;
  }
  // Newer versions of an op add attributes whose "off" keeps the old meaning.
  switch (value.value_case()) {
    case tensorflow::AttrValue::kB: return !value.b();
    case tensorflow::AttrValue::kI: return value.i() == 0;
    case tensorflow::AttrValue::kS: return value.s().empty();
    case tensorflow::AttrValue::kList: return value.list().ByteSizeLong() == 0;
    default: return false;
  }
}

AttrMap AttrImporter::read(const tensorflow::NodeDef& node, const OpSchema& op,
                           std::string_view where) {
  AttrMap attrs;
  for (const auto& [name, value] : node.attr()) {
    const AttrSchema* schema = op.find_attr(name);
    try {
      if (schema != nullptr) {
        read_known(value, *schema, attrs);
      } else if (is_harmless(name, value)) {
        keep_attr(name, value, attrs);
      } else {
        throw unimplemented("op ", op.name, " has no such attribute here");
      }
    } catch (const Error& error) {
      problems_.attribute(str(where, ", attribute `", name, "`: ", error.message()));
    }
  }
  try {
    check_output_counts(op, attrs);
  } catch (const Error& error) {
    problems_.attribute(str(where, ": ", error.message()));
  }
  const auto& fields = node.GetReflection()->GetUnknownFields(node);
  if (!fields.empty()) {
    // Where the node came from, and its full type: nothing here reads them, but files keep them.
    std::string bytes;
    fields.SerializeToString(&bytes);
    attrs[std::string(kNodeFields)] = std::move(bytes);
  }
  return attrs;
}

void AttrImporter::read_known(const tensorflow::AttrValue& value, const AttrSchema& schema,
                              AttrMap& attrs) {
  if (value.has_tensor()) claims_.count(value.tensor());
  std::optional<AttrValue> known = attr_from_proto(value, schema.kind);
  if (!known) throw unimplemented("a value that thalweg does not have");
  const auto allowed = [&](DType dtype) {
    return schema.allowed_types.empty() ||
           std::find(schema.allowed_types.begin(), schema.allowed_types.end(), dtype) !=
               schema.allowed_types.end();
  };
  std::vector<DType> types;
  if (const auto* type = std::get_if<DType>(&*known)) types = {*type};
  if (const auto* list = std::get_if<std::vector<DType>>(&*known)) types = *list;
  for (DType type : types) {
    if (!allowed(type)) {
      throw unimplemented("it is ", type, "; allowed: ", schema.allowed_types);
    }
  }
  attrs[schema.name] = std::move(*known);
}

}  // namespace thalweg
