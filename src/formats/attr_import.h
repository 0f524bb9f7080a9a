// A node's attributes checked against its op's row.
#pragma once

#include "formats/import_problems.h"
#include "formats/tensor_claims.h"
#include "proto/graph.pb.h"
#include "thalweg/graph/op_registry.h"

namespace thalweg {

class AttrImporter {
 public:
  explicit AttrImporter(ImportProblems& problems) : problems_(problems) {}

  /// The attributes as Graph::add takes them. What does not fit the row becomes a problem that
  /// names `where` ("node `a/b`").
  AttrMap read(const tensorflow::NodeDef& node, const OpSchema& op, std::string_view where);

 private:
  void read_known(const tensorflow::AttrValue& value, const AttrSchema& schema, AttrMap& attrs);

  ImportProblems& problems_;
  TensorClaims claims_;
};

/// Whether an attribute that a row does not have may be passed over: it changes no result.
bool is_harmless(std::string_view name, const tensorflow::AttrValue& value);

}  // namespace thalweg
