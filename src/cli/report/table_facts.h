// All that is told of a training on a table: gathered once, then shown on the terminal, in
// report.md, report.html, model_card.md and report.json of the model folder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thalweg/train/hook.h"
#include "thalweg/train/train_spec.h"

namespace thalweg::cli {

/// Files of a model folder.
inline constexpr std::string_view kReportJson = "report.json";
inline constexpr std::string_view kReportMarkdown = "report.md";
inline constexpr std::string_view kReportHtml = "report.html";
inline constexpr std::string_view kModelCard = "model_card.md";
inline constexpr std::string_view kConfigFile = "config.toml";

struct TableFitFacts {
  struct Column {
    std::string name = {};
    std::string role = {};  // "feature", "label", "weight", "id", "ignored"
    std::string type = {};  // "integer", "real", "text"
    std::optional<int64_t> missing = {};
    std::optional<int64_t> distinct = {};
    std::string use = {};  // what was done with it, one sentence
  };
  struct Class {
    std::string name = {};
    int64_t rows = 0;             // of all
    int64_t validation_rows = 0;  // of those, measured
    std::optional<double> precision = {}, recall = {}, f1 = {};
  };
  struct Candidate {
    std::string name = {};
    std::string about = {};  // size and settings, a few words
    std::vector<Figure> validation = {};
    double seconds = 0;
    std::string failure = {};  // why it has no figures
  };
  struct Setting {
    std::string name = {};
    std::string value = {};
    bool given = false;  // rather than a default
  };
  struct Metric {
    std::string name = {};
    std::optional<double> training = {}, validation = {}, test = {}, baseline = {};
    /// Standard error of the validation figure, by resampling its rows.
    std::optional<double> spread = {};
    std::string undefined = {};  // the reason, where it is
  };
  struct Curve {
    std::string name = {};
    std::vector<std::pair<double, double>> points = {};
    double area = 0;
  };
  struct CalibrationBin {
    double predicted = 0;  // mean of the probabilities
    double observed = 0;   // share of rows that are so
    int64_t rows = 0;
  };

  // Data.
  std::string data = {};
  std::string data_hash = {};
  int64_t rows = 0;
  std::vector<std::string> notes = {};    // how the file was read
  std::vector<std::string> dropped = {};  // rows left out, and why
  std::vector<Column> columns = {};
  std::string task = {};  // "classification", ...
  std::vector<std::string> labels = {};
  std::string task_reason = {};
  std::vector<Class> classes = {};
  // Split.
  int64_t training_rows = 0;
  int64_t validation_rows = 0;
  std::string split = {};
  // Model.
  std::string family = {};
  std::string model = {};  // for people: "boosted trees (300 of depth 6)"
  int64_t parameters = 0;
  std::vector<Setting> settings = {};
  std::vector<Candidate> candidates = {};
  std::string choice = {};  // which was chosen and why
  // Result.
  std::string training_message = {};
  std::vector<EpochRecord> history = {};
  std::string step_noun = "epoch";  // what a record of history counts
  std::optional<int64_t> best_step = {};
  std::vector<Metric> metrics = {};
  std::string baseline = {};                         // what guesses it
  std::vector<std::vector<int64_t>> confusion = {};  // [label][predicted]
  std::vector<Curve> roc = {}, precision_recall = {};
  std::vector<CalibrationBin> calibration = {};
  std::vector<std::pair<double, double>> scatter = {};  // of numbers: label, prediction
  std::vector<Figure> top_columns = {};                 // rise of the loss, largest first
  // Record.
  uint64_t seed = 1;
  int threads = 0;
  std::map<std::string, std::string> environment = {};
  std::string started = {};
  double seconds = 0;
  int64_t peak_memory = 0;  // bytes
  std::string command = {};
  std::string folder = {};
  std::string events = {};  // folder; empty: none
  std::string next_command = {};
};

/// For --json and report.json.
std::string facts_json(const TableFitFacts& facts);
/// For the terminal: without plots, long tables cut.
std::string facts_text(const TableFitFacts& facts);
std::string facts_markdown(const TableFitFacts& facts);
/// One file that needs nothing else, in light and dark.
std::string facts_html(const TableFitFacts& facts);
std::string model_card(const TableFitFacts& facts);

}  // namespace thalweg::cli
