#include <functional>
#include <map>

#include "interop/golden_runs.h"
#include "interop/interop.h"
#include "interop/mnist.h"
#include "thalweg/base/file.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::interop {
namespace {

std::string plural(int64_t count, std::string_view word) {
  return str(count, " ", word, count == 1 ? "" : "s");
}

std::string described(const GraphSummary& summary) {
  std::string text = plural(summary.nodes, "node");
  if (summary.functions > 0) append(text, str(", ", plural(summary.functions, "function")));
  if (summary.producer > 0) append(text, str(", version ", summary.producer));
  return text;
}

// Throws when a run gives something else.
void check(const std::vector<Tensor>& got, const GoldenRun& run, size_t number) {
  for (size_t i = 0; i < got.size(); ++i) {
    const std::string wrong = difference(got[i], run.fetches[i].second);
    if (!wrong.empty()) {
      throw internal_error("run ", number, ": `", run.fetches[i].first, "`: ", wrong);
    }
  }
}

std::string same(const Golden& golden) {
  return str(plural(static_cast<int64_t>(golden.runs.size()), "run"), " as in ", golden.made_with);
}

std::string run_graph(const std::string& path, const Golden& golden) {
  std::vector<std::string> outputs;
  for (const GoldenRun& run : golden.runs) {
    for (const auto& [name, value] : run.fetches) outputs.push_back(name);
    for (const std::string& target : run.targets) outputs.push_back(target);
  }
  const auto graph = read_graph(path, standard_ops(), {.outputs = outputs});
  Session session(*graph);
  for (size_t i = 0; i < golden.runs.size(); ++i) {
    const GoldenRun& run = golden.runs[i];
    std::vector<Feed> feeds;
    for (const auto& [name, value] : run.feeds) feeds.push_back({graph->output(name), value});
    std::vector<Output> fetches;
    for (const auto& [name, value] : run.fetches) fetches.push_back(graph->output(name));
    std::vector<Node*> targets;
    for (const std::string& target : run.targets) targets.push_back(graph->find(target));
    check(session.run(feeds, fetches, targets), run, i + 1);
  }
  return same(golden);
}

std::string run_model(const LoadedModel& model, const Golden& golden) {
  for (size_t i = 0; i < golden.runs.size(); ++i) {
    const GoldenRun& run = golden.runs[i];
    NamedTensors inputs;
    for (const auto& [name, value] : run.feeds) inputs[name] = value;
    const NamedTensors outputs = model.run(inputs, run.signature);
    std::vector<Tensor> got;
    for (const auto& [name, value] : run.fetches) got.push_back(outputs.at(name));
    check(got, run, i + 1);
  }
  return same(golden);
}

// What is known of some models beside what TensorFlow gives for a few inputs.
std::string known_result(const std::string& name, const std::string& data,
                         const std::function<Tensor(const Tensor&)>& classify) {
  static const std::map<std::string, std::pair<Shape, double>> kKnown = {
      {"tensorspace_lenet.pb", {Shape{-1, 28, 28, 1}, 96.36}},
      {"tensorspace_lenet", {Shape{-1, 28, 28, 1}, 96.36}},
      {"scisharp_dense_mnist", {Shape{-1, 28, 28, 1}, 95.08}},
  };
  const auto known = kKnown.find(name);
  if (known == kKnown.end()) return {};
  const double percent = mnist_accuracy(data, known->second.first, classify);
  return str("; ", check_percent(percent, known->second.second), " of MNIST's test digits right");
}

Row row_of(const std::string& file, std::string what, const std::function<std::string()>& run) {
  Row row{.file = file, .what = std::move(what)};
  try {
    row.outcome = run();
  } catch (const Error& error) {
    row.outcome = error.message();
    row.ok = false;
  }
  return row;
}

}  // namespace

std::vector<Row> graph_rows(const std::string& data, const std::string& golden) {
  std::vector<Row> rows;
  const std::string folder = join_path(data, "frozen_graph");
  for (const std::string& name : list_folder(folder)) {
    const std::string path = join_path(folder, name);
    const GraphSummary summary = summarize_graph(read_file(path), standard_ops());
    rows.push_back(row_of(name, described(summary), [&] {
      std::string outcome = run_graph(path, read_golden(join_path(golden, name + ".txt")));
      return outcome + known_result(name, data, [&](const Tensor& images) {
               const auto graph = read_graph(path, standard_ops());
               return Session(*graph).run(graph->output("MySoftMax"),
                                          {{graph->output("MyInput"), images}});
             });
    }));
  }
  return rows;
}

std::vector<Row> saved_model_rows(const std::string& data, const std::string& golden) {
  std::vector<Row> rows;
  const std::string folder = join_path(data, "saved_model");
  for (const std::string& name : list_folder(folder)) {
    const std::string path = join_path(folder, name);
    const SavedModelFile file(path);
    const MetaGraph& meta = file.graph();
    const std::string version = meta.tensorflow_version();
    std::string what = str("TF ", version.empty() ? "?" : version, ", ",
                           plural(static_cast<int64_t>(meta.signatures().size()), "signature"),
                           ", ", described(meta.summarize(standard_ops())));
    rows.push_back(row_of(name, std::move(what), [&] {
      const auto model = LoadedModel::load(path);
      std::string outcome = run_model(*model, read_golden(join_path(golden, name + ".txt")));
      return outcome + known_result(name, data, [&](const Tensor& images) {
               const Signature& signature = model->signature();
               return model->run({{signature.inputs[0].key, images}}).at(signature.outputs[0].key);
             });
    }));
  }
  return rows;
}

}  // namespace thalweg::interop
