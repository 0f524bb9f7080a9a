#include "formats/function_instances.h"

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "formats/message.h"

namespace thalweg {
namespace {

using AttrProtos = google::protobuf::Map<std::string, tensorflow::AttrValue>;

constexpr size_t kMostInstances = 10000;

class Instances {
 public:
  Instances(tensorflow::GraphDef& def, ImportProblems& problems) : problems_(problems) {
    for (auto& function : *def.mutable_library()->mutable_function()) {
      originals_.emplace(function.signature().name(), std::move(function));
    }
    def.mutable_library()->clear_function();
  }

  void run(tensorflow::GraphDef& def) {
    // Functions without attributes first, all of them: files keep what nothing calls.
    for (const auto& [name, function] : originals_) {
      if (!is_generic(function)) instance(name, {});
    }
    for (auto& node : *def.mutable_node()) rewrite(node, {});
    while (!open_.empty()) {
      const size_t next = open_.front();
      open_.pop_front();
      auto& [bindings, function] = done_[next];
      where_ = str(" in function `", function.signature().name(), "`");
      bind_signature(bindings, function);
      // Rewriting may add functions, but never moves those that are there.
      calls_.clear();
      for (auto& node : *function.mutable_node_def()) rewrite(node, bindings);
      for (auto& node : *function.mutable_node_def()) {
        for (auto& input : *node.mutable_input()) follow_call(input);
      }
      for (auto& [result, value] : *function.mutable_ret()) follow_call(value);
    }
    for (auto& [bindings, function] : done_)
      *def.mutable_library()->add_function() = std::move(function);
  }

 private:
  static bool is_generic(const tensorflow::FunctionDef& function) {
    return function.signature().attr_size() > 0;
  }

  // The name of the function `name` with these attributes.
  std::string instance(const std::string& name, const AttrProtos& attrs) {
    const auto it = originals_.find(name);
    if (it == originals_.end()) return name;  // missing: said when the graph is built
    const tensorflow::FunctionDef& original = it->second;
    AttrProtos bindings;
    std::string key = name;
    for (const auto& attr : original.signature().attr()) {
      const auto given = attrs.find(attr.name());
      if (given == attrs.end() && !attr.has_default_value()) {
        problems_.attribute(str("function `", name, "` is called without its attribute `",
                                attr.name(), "`", where_));
        continue;
      }
      bindings[attr.name()] = given == attrs.end() ? attr.default_value() : given->second;
      key += '\0' + attr.name() + '=' + encode_message(bindings[attr.name()], "attribute", "");
    }
    auto [entry, is_new] = names_.try_emplace(key, name);
    if (!is_new) return entry->second;
    if (done_.size() >= kMostInstances) {
      throw resource_exhausted("the graph's functions have more than ", kMostInstances,
                               " versions for different attributes");
    }
    if (is_generic(original)) {
      // The first choice of attributes gets a name of its own as well: the plain one stands for
      // all.
      std::string chosen;
      for (int i = 0; chosen.empty() || originals_.contains(chosen); ++i) {
        chosen = str(name, "__", counts_[name]++);
      }
      entry->second = chosen;
    }
    const std::string result = entry->second;
    done_.emplace_back(std::move(bindings), original);
    done_.back().second.mutable_signature()->set_name(result);
    open_.push_back(done_.size() - 1);
    return result;
  }

  void bind_signature(const AttrProtos& bindings, tensorflow::FunctionDef& function) {
    auto& signature = *function.mutable_signature();
    for (auto* arguments : {signature.mutable_input_arg(), signature.mutable_output_arg()}) {
      for (auto& argument : *arguments) {
        if (!argument.number_attr().empty() || !argument.type_list_attr().empty()) {
          problems_.attribute(str("function `", signature.name(), "` takes or gives a list, `",
                                  argument.name(), "`, which thalweg's functions do not"));
          continue;
        }
        if (argument.type_attr().empty()) continue;
        const auto bound = bindings.find(argument.type_attr());
        if (bound != bindings.end()) argument.set_type(bound->second.type());
        argument.clear_type_attr();
      }
    }
    signature.clear_attr();
  }

  void rewrite(tensorflow::NodeDef& node, const AttrProtos& bindings) {
    for (auto& [name, value] : *node.mutable_attr()) {
      if (value.value_case() == tensorflow::AttrValue::kPlaceholder) {
        const auto bound = bindings.find(value.placeholder());
        if (bound == bindings.end()) {
          problems_.attribute(str("node `", node.name(), "`", where_, ": attribute `", name,
                                  "` stands for the function's attribute `", value.placeholder(),
                                  "`, which is not given"));
          continue;
        }
        value = bound->second;
      }
      if (value.has_func()) rename(*value.mutable_func(), bindings);
      if (value.has_list()) {
        for (auto& function : *value.mutable_list()->mutable_func()) rename(function, bindings);
      }
    }
    const auto called = originals_.find(node.op());
    if (called == originals_.end()) return;
    calls_[node.name()] = &called->second.signature();
    make_call(node, called->second.signature());
  }

  // Bodies name an output by its argument, `call:sum:0`; that of a call is `call:output:k`.
  void follow_call(std::string& input) const {
    const size_t colon = input.find(':');
    const auto call =
        colon == std::string::npos ? calls_.end() : calls_.find(input.substr(0, colon));
    if (call == calls_.end()) return;
    const std::string_view place = std::string_view(input).substr(colon + 1);
    for (int k = 0; k < call->second->output_arg_size(); ++k) {
      const std::string& name = call->second->output_arg(k).name();
      if (place == name || place == name + ":0") {
        input = str(call->first, ":output:", k);
        return;
      }
    }
  }

  void rename(tensorflow::NameAttrList& function, const AttrProtos& bindings) {
    AttrProtos attrs = function.attr();
    for (auto& [name, value] : attrs) {
      if (value.value_case() != tensorflow::AttrValue::kPlaceholder) continue;
      const auto bound = bindings.find(value.placeholder());
      if (bound != bindings.end()) value = bound->second;
    }
    if (!originals_.contains(function.name())) return;
    function.set_name(instance(function.name(), attrs));
    // What is left says how to run the call, not what it computes.
    function.clear_attr();
  }

  void make_call(tensorflow::NodeDef& node, const tensorflow::OpDef& signature) {
    const std::string function = instance(node.op(), node.attr());
    AttrProtos attrs;
    for (const auto& [name, value] : node.attr()) {
      if (name.starts_with('_')) attrs[name] = value;
    }
    const auto types = [&](const auto& arguments, const char* attr) {
      auto& list = *attrs[attr].mutable_list();
      for (const auto& argument : arguments) {
        const auto given = node.attr().find(argument.type_attr());
        list.add_type(argument.type_attr().empty() || given == node.attr().end()
                          ? argument.type()
                          : given->second.type());
      }
    };
    types(signature.input_arg(), "Tin");
    types(signature.output_arg(), "Tout");
    attrs["f"].mutable_func()->set_name(function);
    node.set_op(signature.is_stateful() ? "StatefulPartitionedCall" : "PartitionedCall");
    node.mutable_attr()->swap(attrs);
  }

  ImportProblems& problems_;
  std::map<std::string, tensorflow::FunctionDef> originals_;
  std::map<std::string, std::string> names_;  // by name and attributes
  std::map<std::string, int> counts_;
  std::deque<std::pair<AttrProtos, tensorflow::FunctionDef>> done_;
  std::deque<size_t> open_;
  std::map<std::string, const tensorflow::OpDef*> calls_;  // in this body, by node
  std::string where_;
};

}  // namespace

void instantiate_functions(tensorflow::GraphDef& def, ImportProblems& problems) {
  if (def.library().function_size() == 0) return;
  Instances(def, problems).run(def);
}

}  // namespace thalweg
