#include "thalweg/runtime/session.h"

#include <list>
#include <map>
#include <mutex>

#include "runtime/plan.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace internal {

/// The plans of one choice of feeds, fetches and targets, by feed shapes and thread count.
class CallableState {
 public:
  CallableState(const Graph& graph, const SessionOptions& options, std::vector<Output> feeds,
                std::vector<Output> fetches, std::vector<Node*> targets)
      : graph_(graph),
        options_(options),
        feeds_(std::move(feeds)),
        fetches_(std::move(fetches)),
        targets_(std::move(targets)) {}

  size_t num_fetches() const { return fetches_.size(); }

  std::shared_ptr<const Plan> plan(std::span<const Tensor> feeds) {
    if (feeds.size() != feeds_.size()) {
      throw invalid_argument("this callable takes ", feeds_.size(), " feeds, got ", feeds.size());
    }
    const int threads = num_threads();
    const std::lock_guard lock(mutex_);
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (it->threads != threads || !fits(*it, feeds)) continue;
      if (it != entries_.begin()) entries_.splice(entries_.begin(), entries_, it);
      return entries_.front().plan;
    }
    entries_.push_front({threads, shapes_of(feeds), build(feeds)});
    if (entries_.size() > kMaxPlans) entries_.pop_back();
    return entries_.front().plan;
  }

  Plan::RunOptions run_options() const {
    return {.print = options_.print, .check_finite = options_.check_finite};
  }

 private:
  struct Entry {
    int threads;
    std::vector<Shape> shapes;
    std::shared_ptr<const Plan> plan;
  };

  bool fits(const Entry& entry, std::span<const Tensor> feeds) const {
    for (size_t i = 0; i < feeds.size(); ++i) {
      if (feeds[i].dtype() != feeds_[i].dtype() || !(feeds[i].shape() == entry.shapes[i]))
        return false;
    }
    return true;
  }

  static std::vector<Shape> shapes_of(std::span<const Tensor> feeds) {
    std::vector<Shape> shapes;
    for (const Tensor& feed : feeds) shapes.push_back(feed.shape());
    return shapes;
  }

  std::shared_ptr<const Plan> build(std::span<const Tensor> feeds) const {
    std::vector<FeedSpec> specs;
    for (size_t i = 0; i < feeds.size(); ++i) {
      if (!feeds[i].is_valid())
        throw invalid_argument("feed ", feeds_[i].name(), " holds no tensor");
      specs.push_back({feeds_[i], feeds[i].dtype(), feeds[i].shape()});
    }
    PlanGraph graph = specialize(graph_, specs, fetches_, targets_);
    graph =
        run_passes(std::move(graph), {*options_.kernels}, {.disabled = options_.disabled_passes});
    return Plan::build(std::move(graph), *options_.kernels, options_.variables,
                       {.disabled_passes = options_.disabled_passes});
  }

  const Graph& graph_;
  const SessionOptions options_;
  const std::vector<Output> feeds_;
  const std::vector<Output> fetches_;
  const std::vector<Node*> targets_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
};

}  // namespace internal

namespace {

internal::CallableState& made(const std::shared_ptr<internal::CallableState>& state) {
  if (state == nullptr) {
    throw failed_precondition(
        "a Callable that no session made is used; take one from Session::make_callable()");
  }
  return *state;
}

}  // namespace

void Callable::run(std::span<const Tensor> feeds, std::span<Tensor> fetches) const {
  internal::CallableState& state = made(state_);
  if (fetches.size() != state.num_fetches()) {
    throw invalid_argument("this callable gives ", state.num_fetches(), " values, room for ",
                           fetches.size(), " was handed in");
  }
  state.plan(feeds)->run(feeds, fetches, state.run_options());
}

std::vector<Tensor> Callable::operator()(const std::vector<Tensor>& feeds) const {
  std::vector<Tensor> fetches(made(state_).num_fetches());
  run(feeds, fetches);
  return fetches;
}

std::string Callable::explain(std::span<const Tensor> feeds) const {
  return made(state_).plan(feeds)->explain();
}

std::string Callable::profile(std::span<const Tensor> feeds, int runs) const {
  internal::CallableState& state = made(state_);
  const auto plan = state.plan(feeds);
  std::vector<Tensor> fetches(state.num_fetches());
  std::vector<double> seconds(plan->num_steps(), 0.0);
  Plan::RunOptions options = state.run_options();
  plan->run(feeds, fetches, options);  // the first run touches memory for the first time
  options.step_seconds = &seconds;
  for (int i = 0; i < runs; ++i) plan->run(feeds, fetches, options);
  for (double& s : seconds) s /= std::max(runs, 1);
  return plan->explain(&seconds);
}

Callable::Memory Callable::memory(std::span<const Tensor> feeds) const {
  const auto plan = made(state_).plan(feeds);
  return {plan->arena_bytes(), plan->intermediate_bytes()};
}

struct Session::Cache {
  using Key = std::tuple<std::vector<Output>, std::vector<Output>, std::vector<Node*>>;
  std::mutex mutex;
  std::map<Key, Callable> callables;
};

Session::Session(const Graph& graph, SessionOptions options)
    : graph_(graph), options_(std::move(options)), cache_(std::make_unique<Cache>()) {
  if (options_.kernels == nullptr) options_.kernels = &standard_kernels();
  if (options_.variables == nullptr) options_.variables = std::make_shared<VariableStore>();
}

Session::~Session() = default;

void Session::initialize() {
  std::vector<Node*> initializers;
  for (const Graph::VariableRecord& variable : graph_.variables()) {
    if (!options_.variables->is_initialized(variable.name))
      initializers.push_back(variable.initializer);
  }
  if (!initializers.empty()) run({}, {}, initializers);
}

std::vector<Tensor> Session::run(const std::vector<Feed>& feeds, const std::vector<Output>& fetches,
                                 const std::vector<Node*>& targets) {
  std::vector<Output> feed_outputs;
  std::vector<Tensor> values;
  for (const Feed& feed : feeds) {
    feed_outputs.push_back(feed.tensor);
    values.push_back(feed.value);
  }
  Callable callable;
  {
    const std::lock_guard lock(cache_->mutex);
    auto [it, is_new] = cache_->callables.try_emplace({feed_outputs, fetches, targets});
    if (is_new) it->second = make_callable(feed_outputs, fetches, targets);
    callable = it->second;
  }
  return callable(values);
}

Tensor Session::run(Output fetch, const std::vector<Feed>& feeds) {
  return run(feeds, std::vector<Output>{fetch})[0];
}

void Session::run(Node& target, const std::vector<Feed>& feeds) { run(feeds, {}, {&target}); }

Callable Session::make_callable(std::vector<Output> feeds, std::vector<Output> fetches,
                                std::vector<Node*> targets) {
  Callable callable;
  callable.state_ = std::make_shared<internal::CallableState>(
      graph_, options_, std::move(feeds), std::move(fetches), std::move(targets));
  return callable;
}

}  // namespace thalweg
