#include "runtime/plan_functions.h"

#include <array>

#include "runtime/run_scope.h"
#include "thalweg/kernels/tensor_list.h"
#include "thalweg/passes/passes.h"

namespace thalweg {
namespace {

// A call needs some kilobytes of stack; what nests deeper does so without end.
constexpr int kMaxDepth = 256;

std::string key_of(const FunctionUse& use) {
  std::string key = use.name;
  for (const Node* handle : use.handles) {
    append(key, handle == nullptr ? std::string("|") : str("|", handle->type()));
    if (handle == nullptr) continue;
    for (const auto& [name, value] : handle->attrs())
      append(key, str(" ", name, "=", to_string(value)));
    append(key, str(" ", handle->name()));
  }
  for (int result : use.results) append(key, str(" ", result));
  return key;
}

}  // namespace

/// One use of a function, with a plan for each choice of argument shapes.
class PlanFunctions::Prepared final : public PreparedFunction {
 public:
  Prepared(PlanFunctions& owner, const Function& function, const FunctionUse& use)
      : owner_(owner), function_(function), results_(use.results) {
    for (size_t a = 0; a < use.handles.size(); ++a) {
      handles_.push_back({});
      if (use.handles[a] == nullptr) continue;
      // The caller's graph may go before the function does.
      handles_.back() = HandleSpec{function.arguments[a], std::string(use.handles[a]->type()),
                                   use.handles[a]->attrs(), use.handles[a]->name()};
    }
    const Graph& body = *function.body;
    for (int id = 0; id < body.num_nodes(); ++id) {
      const std::string_view type = body.node(id).type();
      takes_items_ = takes_items_ || type == "TensorListPopBack" || type == "TensorListGetItem" ||
                     type == "TensorListStack" || type == "TensorListGather";
    }
  }

  void call(std::span<const Tensor> arguments, std::span<Tensor> results, KernelContext& caller,
            bool take_arguments) const override {
    RunScope* const scope = caller.run_scope();
    THALWEG_CHECK(scope != nullptr, "function `", function_.name, "` is called outside a run");
    try {
      if (scope->depth >= kMaxDepth) {
        throw resource_exhausted("calls nest ", kMaxDepth,
                                 " deep: the function calls itself without end");
      }
      Depth deeper(*scope);
      const std::shared_ptr<const Plan> plan = plan_for(arguments);
      std::array<Tensor, kFewArguments> few;
      std::vector<Tensor> many;
      std::span<const Tensor> feeds = arguments;
      if (num_handles() != 0) {
        size_t count = 0;
        const bool fits = arguments.size() <= kFewArguments;
        if (!fits) many.resize(arguments.size());
        for (size_t a = 0; a < arguments.size(); ++a) {
          if (!handles_[a].tensor) (fits ? few[count++] : many[count++]) = arguments[a];
        }
        feeds = std::span<const Tensor>(fits ? few.data() : many.data(), count);
      }
      plan->run_inside(feeds, results, *scope, take_arguments);
    } catch (Error& error) {
      if (scope->may_tell()) error.add_context(str("function `", function_.name, "`"));
      throw;
    }
  }

 private:
  static constexpr size_t kFewArguments = 16;
  struct Depth {
    explicit Depth(RunScope& scope) : scope(scope) { ++scope.depth; }
    ~Depth() { --scope.depth; }
    RunScope& scope;
  };
  struct Entry {
    std::vector<Shape> shapes;
    std::vector<Shape> item_shapes;  // of lists among the arguments
    std::shared_ptr<const Plan> plan;
  };

  size_t num_handles() const {
    size_t count = 0;
    for (const HandleSpec& handle : handles_) count += handle.tensor ? 1 : 0;
    return count;
  }

  std::shared_ptr<const Plan> plan_for(std::span<const Tensor> arguments) const {
    if (auto plan = known_plan(arguments)) return plan;
    const std::lock_guard building(owner_.mutex_);
    if (auto plan = known_plan(arguments)) return plan;
    std::shared_ptr<const Plan> plan = build(arguments);
    std::vector<Shape> shapes;
    std::vector<Shape> item_shapes;
    for (const Tensor& argument : arguments) {
      shapes.push_back(argument.shape());
      item_shapes.push_back(item_shape(argument));
    }
    const std::lock_guard lock(mutex_);
    entries_.push_front({std::move(shapes), std::move(item_shapes), plan});
    if (entries_.size() > kMaxPlans) entries_.pop_back();
    return plan;
  }

  std::shared_ptr<const Plan> known_plan(std::span<const Tensor> arguments) const {
    const std::lock_guard lock(mutex_);
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (!fits(*it, arguments)) continue;
      if (it != entries_.begin()) entries_.splice(entries_.begin(), entries_, it);
      return entries_.front().plan;
    }
    return nullptr;
  }

  // The shape of all tensors in a list; of unknown rank when there is no such.
  static Shape item_shape(const Tensor& argument) {
    if (argument.dtype() != kVariant || argument.rank() != 0) return Shape::unknown();
    const auto* list = argument.data<Variant>()[0].get<TensorList>();
    return list == nullptr ? Shape::unknown() : list->item_shape();
  }

  bool fits(const Entry& entry, std::span<const Tensor> arguments) const {
    for (size_t a = 0; a < arguments.size(); ++a) {
      if (!arguments[a].is_valid()) continue;
      if (!(arguments[a].shape() == entry.shapes[a])) return false;
      if (takes_items_ && arguments[a].dtype() == kVariant &&
          !(item_shape(arguments[a]) == entry.item_shapes[a])) {
        return false;
      }
    }
    return true;
  }

  std::shared_ptr<const Plan> build(std::span<const Tensor> arguments) const {
    THALWEG_CHECK(arguments.size() == function_.arguments.size(), "function `", function_.name,
                  "` takes ", function_.arguments.size(), " arguments, got ", arguments.size());
    std::vector<FeedSpec> feeds;
    std::vector<HandleSpec> handles;
    for (size_t a = 0; a < arguments.size(); ++a) {
      if (handles_[a].tensor) {
        handles.push_back(handles_[a]);
      } else {
        feeds.push_back({function_.arguments[a], arguments[a].dtype(), arguments[a].shape(),
                         takes_items_ ? item_shape(arguments[a]) : Shape::unknown()});
      }
    }
    std::vector<Output> fetches;
    for (int result : results_) fetches.push_back(function_.results[static_cast<size_t>(result)]);
    PlanGraph graph = specialize(*function_.body, feeds, fetches, function_.side_effects, handles);
    graph = run_passes(std::move(graph), {owner_.kernels_}, {.disabled = owner_.disabled_passes_});
    return Plan::build(std::move(graph), owner_.kernels_, owner_.store_,
                       {.disabled_passes = owner_.disabled_passes_, .functions = &owner_});
  }

  PlanFunctions& owner_;
  const Function& function_;
  std::vector<HandleSpec> handles_;  // by argument; without tensor for values
  std::vector<int> results_;
  bool takes_items_ = false;  // out of lists: their shape is worth a plan of its own
  mutable std::mutex mutex_;
  mutable std::list<Entry> entries_;  // the last used first
};

FunctionRunner* Plan::functions_interface() const { return functions_; }

PlanFunctions::PlanFunctions(std::shared_ptr<FunctionLibrary> library,
                             const KernelRegistry& kernels, std::shared_ptr<VariableStore> store,
                             std::vector<std::string> disabled_passes)
    : library_(std::move(library)),
      kernels_(kernels),
      store_(std::move(store)),
      disabled_passes_(std::move(disabled_passes)) {}

PlanFunctions::~PlanFunctions() = default;

const PreparedFunction& PlanFunctions::prepare(const FunctionUse& use) {
  const Function& function = library_->at(use.name);
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Prepared>& prepared = prepared_[key_of(use)];
  if (prepared == nullptr) prepared = std::make_unique<Prepared>(*this, function, use);
  return *prepared;
}

}  // namespace thalweg
