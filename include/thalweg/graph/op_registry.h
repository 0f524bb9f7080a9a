// The set of ops a graph may use, with their strings parsed and checked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/graph/attr.h"
#include "thalweg/graph/op_def.h"

namespace thalweg {

/// A parsed input or output: "values: N * T".
struct ArgSchema {
  std::string name;
  std::string doc;
  DType dtype = DType::kInvalid;  // fixed element type, or ...
  std::string type_attr;          // ... the attribute that holds it, or ...
  std::string type_list_attr;     // ... the list(type) attribute: one tensor for each
  std::string number_attr;        // "N": that many tensors of one type
  bool is_list() const { return !number_attr.empty() || !type_list_attr.empty(); }
};

/// A parsed attribute: "padding: {'SAME', 'VALID'} = 'SAME'".
struct AttrSchema {
  std::string name;
  std::string doc;
  std::string
      kind;  // "int", "float", "bool", "string", "type", "shape", "tensor", "list(int)", ...
  std::optional<AttrValue> default_value;
  std::optional<int64_t> minimum;            // of an int, or of a list's length
  std::vector<DType> allowed_types;          // empty: any
  std::vector<std::string> allowed_strings;  // empty: any
};

/// A parsed OpDef. Immutable.
struct OpSchema {
  const OpDef* def = nullptr;
  std::string name;
  std::vector<ArgSchema> inputs;
  std::vector<ArgSchema> outputs;
  std::vector<AttrSchema> attrs;
  const AttrSchema* find_attr(std::string_view name) const;
};

/// Parses one row. Throws invalid_argument naming op and string.
OpSchema parse_op(const OpDef& def);

/// Ops by name. Copying is cheap (parsed rows are shared). Thread-compatible; const use is
/// thread-safe. A registry must outlive the graphs built on it.
class OpRegistry {
 public:
  /// Adds rows, which must live as long as the registry (they are static tables). Throws
  /// already_exists for a name that is there.
  void add(std::span<const OpDef> family);
  /// Null when there is none.
  const OpSchema* find(std::string_view name) const;
  /// Throws not_found with the nearest name.
  const OpSchema& at(std::string_view name) const;
  /// Sorted.
  std::vector<std::string> names() const;

 private:
  std::map<std::string, std::shared_ptr<const OpSchema>, std::less<>> ops_;
};

}  // namespace thalweg
