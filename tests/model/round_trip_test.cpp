// Every graph of other programs, read and written again: nodes, attributes and edges stay.
#include <cstdlib>
#include <map>
#include <set>

#include "formats/functionalize.h"
#include "formats/tensor_proto.h"
#include "proto/saved_model.pb.h"
#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/graph_def.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

bool same_attr(const tensorflow::AttrValue& a, const tensorflow::AttrValue& b) {
  if (a.has_tensor() && b.has_tensor()) {
    return tensor_from_proto(a.tensor()).same_bits(tensor_from_proto(b.tensor()));
  }
  return a.ShortDebugString() == b.ShortDebugString();
}

// "node" and "node:0" are one tensor; control inputs are a set.
std::pair<std::vector<std::string>, std::set<std::string>> inputs_of(
    const tensorflow::NodeDef& node) {
  std::vector<std::string> data;
  std::set<std::string> control;
  for (const std::string& input : node.input()) {
    if (input.starts_with('^')) {
      control.insert(input);
    } else {
      data.push_back(input.ends_with(":0") ? input.substr(0, input.size() - 2) : input);
    }
  }
  return {data, control};
}

void expect_same(const tensorflow::NodeDef& before, const tensorflow::NodeDef& after,
                 const std::string& where) {
  EXPECT_EQ(before.op(), after.op()) << where;
  EXPECT_EQ(before.device(), after.device()) << where;
  EXPECT_EQ(inputs_of(before), inputs_of(after)) << where;
  const OpSchema& op = standard_ops().at(before.op());
  for (const auto& [name, value] : before.attr()) {
    const auto it = after.attr().find(name);
    if (it != after.attr().end()) {
      EXPECT_TRUE(same_attr(value, it->second))
          << where << ", " << name << ": " << value.ShortDebugString().substr(0, 200) << " became "
          << it->second.ShortDebugString().substr(0, 200);
    } else {
      // Only what equals the default is left out.
      const AttrSchema* schema = op.find_attr(name);
      EXPECT_TRUE(schema != nullptr && schema->default_value)
          << where << ", " << name << " is lost";
    }
  }
}

void expect_same(const google::protobuf::RepeatedPtrField<tensorflow::NodeDef>& before,
                 const google::protobuf::RepeatedPtrField<tensorflow::NodeDef>& after,
                 const std::string& where) {
  std::map<std::string, const tensorflow::NodeDef*> by_name;
  for (const auto& node : after) by_name[node.name()] = &node;
  EXPECT_EQ(before.size(), after.size()) << where;
  for (const auto& node : before) {
    ASSERT_TRUE(by_name.contains(node.name())) << where << ": " << node.name() << " is lost";
    expect_same(node, *by_name.at(node.name()), where + ": " + node.name());
  }
}

void check_round_trip(tensorflow::GraphDef before, const std::string& where) {
  // What is compared is the graph as it is run: old ops have become new ones.
  functionalize(before, standard_ops());
  const auto graph = parse_graph(before.SerializeAsString(), standard_ops());
  tensorflow::GraphDef after;
  ASSERT_TRUE(after.ParseFromString(encode_graph(*graph)));
  expect_same(before.node(), after.node(), where);
  ASSERT_EQ(before.library().function_size(), after.library().function_size()) << where;
  std::map<std::string, const tensorflow::FunctionDef*> functions;
  for (const auto& function : after.library().function()) {
    functions[function.signature().name()] = &function;
  }
  for (const auto& function : before.library().function()) {
    const std::string& name = function.signature().name();
    ASSERT_TRUE(functions.contains(name)) << where << ": " << name << " is lost";
    const auto& written = *functions.at(name);
    expect_same(function.node_def(), written.node_def(), where + ", " + name);
    EXPECT_EQ(function.ret_size(), written.ret_size()) << where << ", " << name;
    for (const auto& [key, tensor] : function.ret()) {
      EXPECT_EQ(written.ret().at(key), tensor) << where << ", " << name;
    }
    EXPECT_EQ(function.signature().input_arg_size(), written.signature().input_arg_size());
    for (const auto& [key, value] : function.attr()) {
      EXPECT_TRUE(written.attr().count(key)) << where << ", " << name << ": " << key;
    }
  }
}

class RoundTrip : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("THALWEG_DATA");
    if (data == nullptr) GTEST_SKIP() << "THALWEG_DATA names no data folder";
    data_ = data;
  }
  std::string data_;
};

TEST_F(RoundTrip, KeepsFrozenGraphs) {
  const std::string folder = join_path(data_, "frozen_graph");
  for (const std::string& name : list_folder(folder)) {
    tensorflow::GraphDef def;
    ASSERT_TRUE(def.ParseFromString(read_file(join_path(folder, name))));
    check_round_trip(std::move(def), name);
  }
}

TEST_F(RoundTrip, KeepsTheGraphsOfSavedModels) {
  const std::string folder = join_path(data_, "saved_model");
  for (const std::string& name : list_folder(folder)) {
    const std::string path = join_path(join_path(folder, name), "saved_model.pb");
    if (!file_exists(path)) continue;
    tensorflow::SavedModel model;
    ASSERT_TRUE(model.ParseFromString(read_file(path)));
    for (const auto& meta : model.meta_graphs()) check_round_trip(meta.graph_def(), name);
  }
}

}  // namespace
}  // namespace thalweg
