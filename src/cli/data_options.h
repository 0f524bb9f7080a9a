// How DATA is to be read: the options of the verbs that take data.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "thalweg/data/table_source.h"

namespace thalweg::cli {

class Options;

struct DataOptions {
  std::string path;
  std::optional<std::string> format, delimiter, missing, comment;
  std::optional<int64_t> skip_rows, base, features;
  bool no_header = false;
  bool decimal_comma = false;
  bool skip_damaged = false;

  void declare_word(Options& options);
  /// `--delimiter` and `--no-header`; the others are for after Options::further().
  void declare_format(Options& options);
  void declare_further(Options& options);

  /// Takes over what a model's config file says of missing cells and decimal commas, unless it is
  /// set here: the rule of fit is that of predict.
  void inherit(const std::string& model_folder);

  /// Throws UsageError for values that cannot be.
  data::TableOptions table_options() const;
  /// Throws UsageError when an option of tables is set, as DATA holds images.
  void check_is_for_images() const;
};

/// Whether DATA is a table (a file, standard input, a database) rather than a folder of images.
/// Throws not_found for what is not there, invalid_argument for pipes and devices.
bool is_table(const std::string& path);

/// Throws UsageError: `--split` is for folders.
[[noreturn]] void throw_no_split(const std::string& path);

/// Opens DATA as a table; `types` of columns are set.
std::shared_ptr<const data::TableSource> open_data(
    const DataOptions& source, const std::map<std::string, data::ColumnType>& types);

}  // namespace thalweg::cli
