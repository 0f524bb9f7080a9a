// What every row of the op table owes: strings that parse, documents, a gradient or the reason for
// none, a reference kernel for all that it allows, and cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cases/case_dtypes.h"
#include "cases/case_run.h"
#include "kernels/families.h"
#include "ops/families.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::testing {
namespace {

// Ops whose cases cannot show a value, and why.
const std::map<std::string_view, std::string_view> kWithoutValue = {
    {"NoOp", "it has no output"},
    {"ControlTrigger", "it has no output"},
    {"Placeholder", "it must be fed"},
    {"PlaceholderV2", "it must be fed"},
    {"DestroyResourceOp", "what it leaves is no value"},
    {"VarHandleOp", "a handle is no value"},
    {"Assert", "it has no output"},
};

// Ops that work on a table, a queue, files, functions or lists, which no case can hold: where they
// are tested.
const std::map<std::string_view, std::string_view> kTestedElsewhere = {
    {"HashTableV2", "runtime/table_test.cpp"},
    {"AnonymousHashTable", "runtime/table_test.cpp"},
    {"MutableHashTableV2", "runtime/table_test.cpp"},
    {"AnonymousMutableHashTable", "runtime/table_test.cpp"},
    {"MutableHashTableOfTensorsV2", "runtime/table_test.cpp"},
    {"AnonymousMutableHashTableOfTensors", "runtime/table_test.cpp"},
    {"MutableDenseHashTableV2", "runtime/table_test.cpp"},
    {"AnonymousMutableDenseHashTable", "runtime/table_test.cpp"},
    {"InitializeTableV2", "runtime/table_test.cpp"},
    {"InitializeTableFromTextFileV2", "runtime/table_test.cpp"},
    {"LookupTableFindV2", "runtime/table_test.cpp"},
    {"LookupTableInsertV2", "runtime/table_test.cpp"},
    {"LookupTableRemoveV2", "runtime/table_test.cpp"},
    {"LookupTableSizeV2", "runtime/table_test.cpp"},
    {"LookupTableExportV2", "runtime/table_test.cpp"},
    {"LookupTableImportV2", "runtime/table_test.cpp"},
    {"FIFOQueueV2", "runtime/queue_test.cpp"},
    {"PaddingFIFOQueueV2", "runtime/queue_test.cpp"},
    {"RandomShuffleQueueV2", "runtime/queue_test.cpp"},
    {"PriorityQueueV2", "runtime/queue_test.cpp"},
    {"QueueEnqueueV2", "runtime/queue_test.cpp"},
    {"QueueEnqueueManyV2", "runtime/queue_test.cpp"},
    {"QueueDequeueV2", "runtime/queue_test.cpp"},
    {"QueueDequeueManyV2", "runtime/queue_test.cpp"},
    {"QueueDequeueUpToV2", "runtime/queue_test.cpp"},
    {"QueueCloseV2", "runtime/queue_test.cpp"},
    {"QueueIsClosedV2", "runtime/queue_test.cpp"},
    {"QueueSizeV2", "runtime/queue_test.cpp"},
    {"SaveV2", "runtime/outside_test.cpp"},
    {"RestoreV2", "runtime/outside_test.cpp"},
    {"MergeV2Checkpoints", "runtime/outside_test.cpp"},
    {"ReadFile", "runtime/outside_test.cpp"},
    {"WriteFile", "runtime/outside_test.cpp"},
    {"MatchingFiles", "runtime/outside_test.cpp"},
    {"Timestamp", "runtime/outside_test.cpp"},
    {"PrintV2", "runtime/outside_test.cpp"},
    {"_Arg", "runtime/control_flow_test.cpp"},
    {"PartitionedCall", "runtime/control_flow_test.cpp"},
    {"StatefulPartitionedCall", "runtime/control_flow_test.cpp"},
    {"If", "runtime/control_flow_test.cpp"},
    {"StatelessIf", "runtime/control_flow_test.cpp"},
    {"Case", "runtime/control_flow_test.cpp"},
    {"StatelessCase", "runtime/control_flow_test.cpp"},
    {"While", "runtime/control_flow_test.cpp"},
    {"StatelessWhile", "runtime/control_flow_test.cpp"},
    {"EmptyTensorList", "runtime/tensor_list_test.cpp"},
    {"TensorListReserve", "runtime/tensor_list_test.cpp"},
    {"TensorListPushBack", "runtime/tensor_list_test.cpp"},
    {"TensorListPopBack", "runtime/tensor_list_test.cpp"},
    {"TensorListSetItem", "runtime/tensor_list_test.cpp"},
    {"TensorListGetItem", "runtime/tensor_list_test.cpp"},
    {"TensorListStack", "runtime/tensor_list_test.cpp"},
    {"TensorListFromTensor", "runtime/tensor_list_test.cpp"},
    {"TensorListLength", "runtime/tensor_list_test.cpp"},
    {"TensorListResize", "runtime/tensor_list_test.cpp"},
    {"TensorListGather", "runtime/tensor_list_test.cpp"},
    {"TensorListScatter", "runtime/tensor_list_test.cpp"},
    {"TensorListScatterV2", "runtime/tensor_list_test.cpp"},
    {"TensorListScatterIntoExistingList", "runtime/tensor_list_test.cpp"},
    {"TensorListConcat", "runtime/tensor_list_test.cpp"},
    {"TensorListConcatV2", "runtime/tensor_list_test.cpp"},
    {"TensorListSplit", "runtime/tensor_list_test.cpp"},
    {"TensorListElementShape", "runtime/tensor_list_test.cpp"},
    {"ImageSummary", "runtime/image_summary_test.cpp"},  // zlib decides its bytes
};

const std::vector<DType> kEveryType = {kFloat32, kFloat64, kInt32,  kUInt8, kInt16,
                                       kInt8,    kString,  kInt64,  kBool,  kBFloat16,
                                       kUInt16,  kFloat16, kUInt32, kUInt64};

template <class F>
void for_each_op(F f) {
  for (const std::string& name : standard_ops().names()) {
    SCOPED_TRACE(name);
    f(standard_ops().at(name));
  }
}

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all = read_cases(THALWEG_CASES, standard_ops());
    for (Case& golden : read_cases(THALWEG_GOLDEN, standard_ops()))
      all.push_back(std::move(golden));
    return all;
  }();
  return cases;
}

std::vector<const Case*> cases_of(std::string_view op) {
  std::vector<const Case*> result;
  for (const Case& c : all_cases()) {
    if (c.op == op) result.push_back(&c);
  }
  return result;
}

// The case that shows most of the op's working: the first that gives values.
const Case* typical_case(std::string_view op) {
  for (const Case* c : cases_of(op)) {
    if (!c->failure) return c;
  }
  return nullptr;
}

// Whether the kernel takes the dtypes; it may then refuse values that mean nothing in them, such as
// x / 0 in integers.
bool accepts(const Case& c, const Node& node, const KernelDef& kernel) {
  try {
    return run_case(c, node, kernel).accepted;
  } catch (const Error& error) {
    if (error.code() == Code::kInvalidArgument) return true;
    throw;
  }
}

TEST(OpContract, RowsParseAndAreDocumented) {
  for_each_op([](const OpSchema& op) {
    EXPECT_NO_THROW(parse_op(*op.def));
    EXPECT_FALSE(op.def->doc.empty());
    EXPECT_TRUE(op.def->doc.ends_with('.')) << op.def->doc;
    for (const ArgSchema& arg : op.inputs) EXPECT_FALSE(arg.doc.empty()) << "input " << arg.name;
    for (const ArgSchema& arg : op.outputs) EXPECT_FALSE(arg.doc.empty()) << "output " << arg.name;
    for (const AttrSchema& attr : op.attrs)
      EXPECT_FALSE(attr.doc.empty()) << "attribute " << attr.name;
  });
}

TEST(OpContract, RowsInferShapes) {
  for_each_op([](const OpSchema& op) { EXPECT_NE(op.def->shape, nullptr); });
}

TEST(OpContract, RowsHaveEitherAGradientOrTheReasonForNone) {
  for_each_op([](const OpSchema& op) {
    EXPECT_NE(op.def->gradient == nullptr, op.def->no_gradient.empty()) << op.def->no_gradient;
  });
}

TEST(OpContract, EveryAttributeOfAnArgumentIsDeclared) {
  for_each_op([](const OpSchema& op) {
    for (const auto* args : {&op.inputs, &op.outputs}) {
      for (const ArgSchema& arg : *args) {
        for (const std::string& attr : {arg.type_attr, arg.type_list_attr, arg.number_attr}) {
          EXPECT_TRUE(attr.empty() || op.find_attr(attr) != nullptr) << arg.name << ": " << attr;
        }
      }
    }
  });
}

TEST(OpContract, OnlyPrivateOpsStartWithAnUnderscore) {
  for (const OpDef& def : fused_ops()) EXPECT_TRUE(def.name.starts_with('_')) << def.name;
  for_each_op([](const OpSchema& op) {
    EXPECT_TRUE(op.name[0] == '_' ? std::isupper(op.name[1]) : std::isupper(op.name[0]));
  });
}

TEST(OpContract, EveryOpHasOneReferenceKernelTriedLast) {
  for_each_op([](const OpSchema& op) {
    const auto kernels = standard_kernels().find(op.name);
    ASSERT_FALSE(kernels.empty()) << "no kernel";
    for (const KernelDef& kernel : kernels) {
      EXPECT_EQ(kernel.provider == "reference", &kernel == &kernels.back()) << kernel.provider;
    }
  });
}

TEST(OpContract, FastKernelsAreOfKnownOps) {
  for (const KernelFamily family : fast_kernel_families()) {
    for (const KernelDef& kernel : family())
      EXPECT_NE(standard_ops().find(kernel.op), nullptr) << kernel.op;
  }
}

TEST(OpContract, EveryOpHasACase) {
  for_each_op([](const OpSchema& op) {
    if (kTestedElsewhere.contains(op.name)) return;
    const std::vector<const Case*> cases = cases_of(op.name);
    ASSERT_FALSE(cases.empty()) << "no case";
    const bool shows_value = std::any_of(cases.begin(), cases.end(), [](const Case* c) {
      return !c->outputs.empty() || !c->variables.empty();
    });
    EXPECT_NE(shows_value, kWithoutValue.contains(op.name)) << "a case must show a value";
  });
}

// Differentiable ops whose gradient no case can check, and why.
const std::map<std::string_view, std::string_view> kUncheckedGradient = {
    {"StopGradient", "that it is no derivative is its point"},
    {"QuantizeAndDequantize", "it passes straight through steps"},
};

// Whether there is anything to differentiate in.
bool has_floating_input(const OpSchema& op) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const ArgSchema& arg) {
    if (arg.type_attr.empty() && arg.type_list_attr.empty())
      return is_floating(arg.dtype) || arg.dtype == kResource;
    const std::vector<DType>& types =
        op.find_attr(arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr)->allowed_types;
    return types.empty() || std::any_of(types.begin(), types.end(), is_floating);
  });
}

// A row's gradient is only true once differences, or TensorFlow, have confirmed it.
TEST(OpContract, EveryGradientIsCheckedInACase) {
  for_each_op([](const OpSchema& op) {
    if (op.def->gradient == nullptr || kUncheckedGradient.contains(op.name) ||
        kTestedElsewhere.contains(op.name) || !has_floating_input(op))
      return;
    const std::vector<const Case*> cases = cases_of(op.name);
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [](const Case* c) {
      return !c->gradient.empty() || !c->slopes.empty();
    })) << "no case with `gradient`, no golden case with `slope`";
  });
}

TEST(OpContract, ReferenceKernelsTakeEveryAllowedType) {
  for_each_op([](const OpSchema& op) {
    const Case* c = typical_case(op.name);
    const KernelDef* kernel = reference_kernel(op.name);
    if (c == nullptr || kernel == nullptr) return;
    for (const AttrSchema& attr : op.attrs) {
      if (attr.kind != "type") continue;
      for (DType dtype : attr.allowed_types.empty() ? kEveryType : attr.allowed_types) {
        if (dtype == kVariant) continue;  // lists, which no case can hold
        try {
          const Case cast = in_dtype(*c, op, attr.name, dtype);
          Graph graph(standard_ops());
          const Node& node = add_case(graph, cast);
          EXPECT_TRUE(accepts(cast, node, *kernel))
              << attr.name << " = " << to_string(dtype) << ": declined";
        } catch (const Error& error) {
          ADD_FAILURE() << attr.name << " = " << to_string(dtype) << ": " << error.message();
        }
      }
    }
  });
}

}  // namespace
}  // namespace thalweg::testing
