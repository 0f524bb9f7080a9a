#include "cli/data_options.h"

#include <algorithm>

#include "cli/config_file.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/report/table_facts.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"

namespace thalweg::cli {
namespace {

const std::vector<std::string> kFormats = {"csv", "libsvm", "npy", "npz", "tfrecord", "sqlite"};

char character(std::string_view option, const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1) return text[0];
  throw UsageError(str("--", option, " takes one character, or tab; got '", text, "'"));
}

bool is_sqlite_address(const std::string& path) { return path.starts_with("sqlite:"); }

}  // namespace

void DataOptions::declare_word(Options& options) {
  options.word("DATA", path,
               "a table (CSV, libsvm, npy, npz, tfrecord, sqlite:FILE?table=T; - is stdin), or a "
               "folder in MNIST's layout");
}

void DataOptions::declare_format(Options& options) {
  options.value("delimiter", "C", delimiter, "of a CSV file: a character or tab (default: found)");
  options.flag("no-header", no_header, "the CSV file has no header; columns are c1, c2, ...");
}

void DataOptions::declare_further(Options& options) {
  options.choice("format", kFormats, format, "of DATA; default: found; one of");
  options.names("missing", "A,B,..", missing,
                "cells that count as missing (default: \"\",NA,N/A,NaN,null,None,?)");
  options.flag("decimal-comma", decimal_comma, "numbers of the CSV file are written 1,5");
  options.value("comment", "C", comment, "lines that begin with it are passed over");
  options.value("skip-rows", "N", skip_rows, "lines before the header that are passed over");
  options.value("base", "N", base, "of libsvm: number of the first feature, 0 or 1");
  options.value("features", "N", features, "of libsvm: how many features there are");
  options.flag("skip-damaged", skip_damaged, "of tfrecord: leaves damaged records out");
}

void DataOptions::inherit(const std::string& model_folder) {
  const std::string file = join_path(model_folder, kConfigFile);
  if (!file_exists(file)) return;
  for (const ConfigEntry& entry : read_config(file)) {
    if (entry.key == "missing" && !missing) missing = names_text(entry.values);
    if (entry.key == "decimal-comma" && entry.values == std::vector<std::string>{"true"}) {
      decimal_comma = true;
    }
  }
}

data::TableOptions DataOptions::table_options() const {
  using data::TableFormat;
  data::TableOptions options;
  if (format) {
    static const std::map<std::string, TableFormat> kKinds = {
        {"csv", TableFormat::kCsv},           {"libsvm", TableFormat::kLibsvm},
        {"npy", TableFormat::kNpy},           {"npz", TableFormat::kNpz},
        {"tfrecord", TableFormat::kTfRecord}, {"sqlite", TableFormat::kSqlite}};
    options.format = kKinds.at(*format);
  }
  if (delimiter) options.delimiter = character("delimiter", *delimiter);
  if (no_header) options.header = false;
  if (decimal_comma) options.decimal = ',';
  if (options.delimiter == ',' && decimal_comma) {
    throw UsageError("--delimiter , and --decimal-comma exclude each other");
  }
  if (comment) options.comment = character("comment", *comment);
  if (missing)
    options.missing =
        missing->empty() ? std::vector<std::string>{""} : parse_names("missing", *missing);
  const auto at_least = [](std::string_view name, int64_t value, int64_t least) {
    if (value >= least) return value;
    throw UsageError(str("--", name, " takes ", least, " or more, got ", value));
  };
  if (skip_rows) options.skip_rows = at_least("skip-rows", *skip_rows, 0);
  if (features) options.features = at_least("features", *features, 1);
  if (base) {
    if (*base != 0 && *base != 1) throw UsageError(str("--base takes 0 or 1, got ", *base));
    options.base = static_cast<int>(*base);
  }
  options.skip_damaged = skip_damaged;
  options.remedies = {{"header", "give --no-header"},
                      {"delimiter", "set --delimiter"},
                      {"format", "set --format"},
                      {"decimal", "give --decimal-comma"},
                      {"missing", "list it in --missing"},
                      {"types", "set its kind with --types"},
                      {"base", "set --base"},
                      {"features", "set --features"},
                      {"skip_damaged", "give --skip-damaged"},
                      {"skip_rows", "set --skip-rows"},
                      {"comment", "set --comment"}};
  return options;
}

void DataOptions::check_is_for_images() const {
  const char* option = delimiter       ? "--delimiter"
                       : no_header     ? "--no-header"
                       : format        ? "--format"
                       : missing       ? "--missing"
                       : decimal_comma ? "--decimal-comma"
                       : comment       ? "--comment"
                       : skip_rows     ? "--skip-rows"
                       : base          ? "--base"
                       : features      ? "--features"
                       : skip_damaged  ? "--skip-damaged"
                                       : nullptr;
  if (option == nullptr) return;
  throw UsageError(str(option, " is for tables, but DATA '", path, "' holds images"));
}

bool is_table(const std::string& path) {
  if (path == "-" || is_sqlite_address(path)) return true;
  check_data_path(path);
  return !is_folder(path);
}

void throw_no_split(const std::string& path) {
  throw UsageError(str("--split chooses files of a folder, but DATA '", path,
                       "' is one file: all its rows are used; leave the option out"));
}

std::shared_ptr<const data::TableSource> open_data(
    const DataOptions& source, const std::map<std::string, data::ColumnType>& types) {
  data::TableOptions options = source.table_options();
  options.types = types;
  return data::open_table(source.path, options);
}

}  // namespace thalweg::cli
