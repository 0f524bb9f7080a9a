// TensorFlow's SavedModel: graphs with the signatures, variables and assets that make them
// runnable.
//
// What the folder says stands here; `model` makes it run. A model of TensorFlow 2 is read by its
// graphs and functions as one of TensorFlow 1 is: its signatures are nodes that call functions, its
// variables handles that those nodes pass on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/formats/graph_def.h"

namespace thalweg {

class BundleReader;

inline constexpr std::string_view kServingSignature = "serving_default";
inline constexpr std::string_view kPredictMethod = "tensorflow/serving/predict";

/// One input or output of a signature.
struct SignatureTensor {
  std::string key;     // what callers name it
  std::string tensor;  // "x:0"; empty for one of several tensors (sparse), which cannot be given
  DType dtype = DType::kInvalid;
  Shape shape;
  std::optional<Tensor> default_value = {};
};

struct Signature {
  std::string name;
  std::string method;
  std::vector<SignatureTensor> inputs;   // sorted by key
  std::vector<SignatureTensor> outputs;  // sorted by key
};

/// A file that the model needs beside its variables.
struct ModelAsset {
  std::string tensor;  // takes the file's path when the model is initialised
  std::string filename;
};

/// One graph of a SavedModel. Immutable; a cheap handle.
class MetaGraph {
 public:
  const std::vector<std::string>& tags() const;
  const std::string& tensorflow_version() const;
  /// "TensorFlow 2.21.0", or "thalweg 0.1.0", whose files claim the TensorFlow that they are for.
  std::string writer() const;
  /// Sorted by name; without those that are not for callers (`__saved_model_init_op`).
  const std::vector<Signature>& signatures() const;
  const std::vector<ModelAsset>& assets() const;
  /// The node that initialises tables and the like; empty: none.
  const std::string& init_node() const;
  /// Whether it was written by TensorFlow 2, with its objects.
  bool has_objects() const;

  /// Where variables come from: the node of the variable or of its handle, to the checkpoint's key.
  struct Restored {
    std::string key;
    std::string slice;  // of a partitioned variable: "10 4 0,5:-"; empty: all of it
  };
  const std::map<std::string, Restored>& restored() const;

  GraphSummary summarize(const OpRegistry& registry) const;
  /// The graph, or what `options.outputs` need of it. Throws as parse_graph.
  std::unique_ptr<Graph> build(const OpRegistry& registry,
                               const GraphImportOptions& options = {}) const;

 private:
  friend class SavedModelFile;
  struct State;
  std::shared_ptr<const State> state_;
};

/// The file `saved_model.pb` or `saved_model.pbtxt` of a folder. Immutable.
class SavedModelFile {
 public:
  /// Errors: not_found when the folder holds none, data_loss when it cannot be understood.
  explicit SavedModelFile(const std::string& folder);

  const std::string& folder() const { return folder_; }
  const std::vector<MetaGraph>& graphs() const { return graphs_; }
  /// The one with exactly these tags; without tags the only one, or that with ["serve"]. Throws
  /// not_found listing those that there are.
  const MetaGraph& graph(const std::vector<std::string>& tags = {}) const;
  /// "<folder>/variables/variables", the prefix of its checkpoint.
  std::string variables_prefix() const;
  std::string asset_path(const ModelAsset& asset) const;

 private:
  std::string folder_;
  std::vector<MetaGraph> graphs_;
};

/// Whether a folder holds a SavedModel.
bool is_saved_model(const std::string& folder);

/// From the names of variables in their program ("dense/kernel") to the keys of a checkpoint of
/// TensorFlow 2 objects, read from the object graph in it; empty when there is none.
std::map<std::string, std::string> variable_keys(const BundleReader& checkpoint);

/// A signature of a model to be written.
struct SignatureSpec {
  std::string name = std::string(kServingSignature);
  std::vector<std::pair<std::string, Output>> inputs;  // placeholders of the graph
  std::vector<std::pair<std::string, Output>> outputs;
  std::string method = std::string(kPredictMethod);
};

/// A file that goes into the model's folder, and whose path there `tensor` has when the
/// initializers run: a string scalar, a constant or a placeholder that no signature needs.
struct AssetSpec {
  Output tensor;
  std::string path;
};

struct SavedModelOptions {
  /// Keep variables as variables, with a checkpoint beside the graph, instead of constants in it.
  bool variables = false;
  std::vector<std::string> tags = {"serve"};
  /// Nodes that are run once when the model is loaded, such as initialize_table's.
  std::vector<const Node*> initializers = {};
  /// Read by the initializers.
  std::vector<AssetSpec> assets = {};
};

/// Writes what the signatures need of `graph` as a SavedModel that TensorFlow 1 and 2 and
/// TensorFlow Serving load. `values` holds the variables by name. The folder appears whole or not
/// at all. Throws already_exists when it is there; invalid_argument for inputs that are no
/// placeholders and for placeholders that no signature's input feeds, for initializers and assets
/// that are none, and for two assets of one name; failed_precondition for a variable without a
/// value; unimplemented for ops that TensorFlow does not have.
void write_saved_model(const std::string& folder, const Graph& graph,
                       const std::vector<SignatureSpec>& signatures,
                       const std::map<std::string, Tensor>& values,
                       const SavedModelOptions& options = {});

}  // namespace thalweg
