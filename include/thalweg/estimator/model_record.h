// The file model.json of a model folder: what the model is, and how it came about.
//
// Beside it lie the checkpoints `ckpt-*` (weights, and all that a resumed training needs) and
// TensorBoard's files under `events`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thalweg/estimator/heads.h"
#include "thalweg/estimator/input_spec.h"
#include "thalweg/estimator/optimizer_choice.h"
#include "thalweg/train/hook.h"

namespace thalweg {

inline constexpr std::string_view kModelFile = "model.json";
inline constexpr std::string_view kEventsFolder = "events";
inline constexpr int64_t kModelFormat = 1;
/// ModelRecord::kind of a TableEstimator's models.
inline constexpr std::string_view kTableKind = "table";
/// What `format` says in a model.json of ours.
inline constexpr std::string_view kModelFormatName = "thalweg model";

/// What the labels are.
struct LabelSpec {
  /// Name of the column in tables; may be empty.
  std::string column = {};
  /// In the order of the network's outputs; empty for regression.
  std::vector<std::string> class_names = {};
  /// Whether labels in the data are the names themselves (3, 4, 5 or "cat") rather than places.
  bool by_name = false;
  /// Rows of each class among all that fit() was given.
  std::vector<int64_t> class_counts = {};
  /// For regression, of the training rows, of each output.
  std::vector<double> mean = {};
  std::vector<double> deviation = {};
  /// Whether the network learns (label - mean) / deviation.
  bool standardized = false;
  /// What is guessed without a look at the features: of each class its share of the training rows,
  /// by weight; or the mean, or quantile, of each output.
  std::vector<double> prior = {};
  /// Factors of the weights of training rows, by class; empty: 1 each.
  std::vector<double> class_weights = {};
  /// Of several heads, in their order.
  std::vector<LabelSpec> parts = {};
};

/// How the training went, and on what.
struct RunRecord {
  std::string state = "training";  // "finished", "stopped early", "interrupted", "failed: ..."
  int64_t epochs = 0;              // asked for
  int64_t batch_size = 128;
  double validation_split = 0;
  int64_t patience = 0;
  uint64_t seed = 1;
  int threads = 0;
  std::string data = {};  // where they came from; may be empty
  std::string data_fingerprint = {};
  std::string validation_fingerprint = {};  // of FitOptions::validation; empty without it
  int64_t training_rows = 0;
  int64_t validation_rows = 0;
  int64_t parameters = 0;  // trainable numbers
  std::string command = {};
  std::string started = {};  // UTC, 2026-01-31T12:00:00Z
  double seconds = 0;        // of training, over all resumed runs
  /// "thalweg", "oneDNN", "compiler", "simd", "cpu", "system".
  std::map<std::string, std::string> environment = {};
  std::vector<EpochRecord> history = {};
  std::optional<int64_t> best_step = {};
};

/// Of a model of a table, as JSON texts: with them, label and weights it is built again.
struct TableRecord {
  std::string model = {};      // family and options, columns included
  std::string transform = {};  // the columns as fitted to the training rows
  /// Of trees: their sizes, and how much each column has part in their splits.
  std::string structure = {};
};

struct ModelRecord {
  std::string kind = {};     // "classifier", "regressor" or "table"
  std::string network = {};  // as network_to_json(); empty when it is a function
  InputSpec input = {};
  LabelSpec label = {};
  std::optional<HeadSpec> head = {};            // of models of tables
  std::string optimizer = {};                   // for people
  std::optional<NamedOptimizer> settings = {};  // of a named optimizer
  std::optional<TableRecord> table = {};        // of models of tables
  RunRecord run = {};
  /// The checkpoint, without folder, whose weights are the model; empty while training.
  std::string weights = {};
};

/// What can be said of this process and machine: library versions, CPU, system.
std::map<std::string, std::string> describe_environment();

std::string to_json(const ModelRecord& record);
/// Replaces `folder`/model.json in one step; the folder is made when missing.
void write_model_record(const std::string& folder, const ModelRecord& record);
/// Errors: not_found naming the folder and what makes a model; data_loss for a damaged file;
/// failed_precondition for one of a later format.
ModelRecord read_model_record(const std::string& folder);
/// Whether `folder` holds a model.json.
bool is_model_folder(const std::string& folder);

}  // namespace thalweg
