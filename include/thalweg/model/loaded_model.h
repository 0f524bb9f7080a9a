// A SavedModel ready to run: its graph, its variables restored, its tables filled.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/formats/saved_model.h"
#include "thalweg/runtime/session.h"

namespace thalweg {

struct LoadOptions {
  std::vector<std::string> tags = {};        // empty: the only graph, or the one tagged "serve"
  std::vector<std::string> signatures = {};  // only what these need is loaded; empty: all
  /// Signatures run with the variables that none of them writes as constants, as these are at a
  /// signature's first run: passes then compute with the weights. Without, a variable that somebody
  /// changes through session() changes what signatures give.
  bool freeze = true;
  SessionOptions session = {};
};

using NamedTensors = std::map<std::string, Tensor, std::less<>>;

/// A model of TensorFlow 1 or 2, or of thalweg's write_saved_model(). Immutable but for the
/// variables that its own signatures write; thread-safe.
class LoadedModel {
 public:
  /// Reads graph and variables and runs the model's initialisation, its assets at hand. Throws what
  /// SavedModelFile and parse_graph throw: everything that cannot be run is named before anything
  /// runs; not_found or data_loss for variables that are not there or damaged.
  static std::unique_ptr<LoadedModel> load(const std::string& folder,
                                           const LoadOptions& options = {});
  /// The same of a file whose graphs were read before.
  static std::unique_ptr<LoadedModel> load(const SavedModelFile& file,
                                           const LoadOptions& options = {});

  const std::vector<Signature>& signatures() const { return signatures_; }
  /// Throws not_found with the nearest name.
  const Signature& signature(std::string_view name = kServingSignature) const;

  /// The signature's outputs for `inputs`, by their keys. Throws invalid_argument for inputs that
  /// are missing, not known, or of another dtype or shape, and what the run throws.
  NamedTensors run(const NamedTensors& inputs,
                   std::string_view signature = kServingSignature) const;

  const Graph& graph() const { return *graph_; }
  Session& session() const { return *session_; }
  const MetaGraph& meta_graph() const { return meta_; }

 private:
  // A signature made ready to run; `graph` and `session` only where weights are constants.
  struct Served {
    std::unique_ptr<Graph> graph;
    std::unique_ptr<Session> session;
    Callable callable;
  };

  explicit LoadedModel(MetaGraph meta, bool freeze);
  void restore(const SavedModelFile& file);
  void initialize(const SavedModelFile& file);
  const Callable& callable(const Signature& signature) const;
  Served serve(const Signature& signature) const;

  MetaGraph meta_;
  bool freeze_;
  std::vector<Signature> signatures_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Session> session_;
  mutable std::mutex served_mutex_;
  mutable std::map<std::string, Served, std::less<>> served_;  // by signature
};

}  // namespace thalweg
