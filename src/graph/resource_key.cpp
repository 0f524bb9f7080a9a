#include "thalweg/graph/resource_key.h"

namespace thalweg {

std::string resource_key(const Node& handle) {
  const std::string_view type = handle.type();
  // A dense table is told keys that it keeps for itself; all other makers take nothing.
  const bool is_dense =
      type == "MutableDenseHashTableV2" || type == "AnonymousMutableDenseHashTable";
  const bool makes_handle = (handle.num_inputs() == 0 || is_dense) && handle.num_outputs() > 0 &&
                            handle.output_dtype(0) == kResource && type != "Placeholder" &&
                            type != "_Arg";
  if (!makes_handle) return {};
  const auto text = [&](std::string_view name) {
    const AttrValue* value = handle.find_attr(name);
    return value == nullptr ? std::string() : std::get<std::string>(*value);
  };
  const std::string shared = text("shared_name");
  const std::string& name = shared.empty() ? handle.name() : shared;
  return type == "VarHandleOp" ? str(type, ' ', name)
                               : str(type, ' ', text("container"), '/', name);
}

}  // namespace thalweg
