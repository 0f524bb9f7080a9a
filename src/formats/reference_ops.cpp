#include "formats/reference_ops.h"

#include <map>

namespace thalweg {
namespace {

using Table = std::map<std::string, ReferenceOp, std::less<>>;

Table make_table() {
  Table table = {
      {"Assign", {1, "AssignVariableOp", "dtype"}},
      {"AssignAdd", {1, "AssignAddVariableOp", "dtype"}},
      {"AssignSub", {1, "AssignSubVariableOp", "dtype"}},
      {"IsVariableInitialized", {1, "VarIsInitializedOp", "", false}},
      {"CountUpTo", {1, "ResourceCountUpTo", "T", false}},
  };
  for (const char* op : {"ScatterUpdate", "ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv",
                         "ScatterMin", "ScatterMax"}) {
    table[op] = {1, std::string("Resource") + op, "dtype"};
  }
  struct Family {
    int references;
    std::initializer_list<const char*> ops;
  };
  // The variable, then the optimizer's slots.
  const Family families[] = {
      {1,
       {"ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub", "ScatterNdMin", "ScatterNdMax",
        "StridedSliceAssign", "ApplyGradientDescent", "ApplyProximalGradientDescent",
        "SparseApplyProximalGradientDescent"}},
      {2,
       {"ApplyMomentum", "ApplyAdagrad", "ApplyAdagradV2", "ApplyProximalAdagrad", "ApplyAddSign",
        "ApplyPowerSign", "SparseApplyMomentum", "SparseApplyAdagrad", "SparseApplyAdagradV2",
        "SparseApplyProximalAdagrad"}},
      {3,
       {"ApplyAdam", "ApplyAdaMax", "ApplyRMSProp", "ApplyFtrl", "ApplyFtrlV2", "ApplyAdadelta",
        "ApplyAdagradDA", "SparseApplyRMSProp", "SparseApplyFtrl", "SparseApplyFtrlV2",
        "SparseApplyAdadelta", "SparseApplyAdagradDA"}},
      {4, {"ApplyCenteredRMSProp", "SparseApplyCenteredRMSProp"}},
  };
  for (const Family& family : families) {
    for (const char* op : family.ops) table[op] = {family.references, std::string("Resource") + op};
  }
  return table;
}

}  // namespace

const ReferenceOp* find_reference_op(std::string_view op) {
  static const Table table = make_table();
  const auto found = table.find(op);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace thalweg
