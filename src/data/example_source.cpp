// TFRecord files of tf.train.Example as tables: each feature of one value is a column, and where a
// record lacks it, the cell is missing.
#include <algorithm>
#include <map>

#include "data/example_fields.h"
#include "data/record_stream.h"
#include "thalweg/base/error.h"
#include "thalweg/base/printable.h"

namespace thalweg::data {
namespace {

/// Names of features and the columns they go to.
using Places = std::map<std::string, size_t, std::less<>>;

class ExampleReader {
 public:
  ExampleReader(const StreamedFile& file, bool skip_damaged)
      : name_(file.name()), records_(file, skip_damaged) {}

  bool next(std::vector<ExampleFeature>& features) {
    if (!records_.next(record_)) return false;
    try {
      parse_example(record_, features);
    } catch (Error& error) {
      error.add_context(str(name_, ": ", place()));
      throw;
    }
    return true;
  }
  const RecordStream& records() const { return records_; }
  std::string place() const {
    return str("record ", records_.number(), " (at byte ", records_.offset(), ")");
  }

 private:
  std::string name_;
  RecordStream records_;
  std::string record_;
};

class ExampleStream final : public RowStream {
 public:
  ExampleStream(std::shared_ptr<const StreamedFile> file, Places wanted, size_t columns,
                const TableOptions& options)
      : file_(std::move(file)),
        wanted_(std::move(wanted)),
        columns_(columns),
        reader_(*file_, options.skip_damaged),
        remedy_(remedy(options, "columns")) {}

  bool next(std::vector<CellValue>& row) override {
    if (!reader_.next(features_)) return false;
    row.assign(columns_, CellValue{});
    for (const ExampleFeature& feature : features_) {
      const auto found = wanted_.find(feature.name);
      if (found == wanted_.end()) continue;
      check(feature);
      row[found->second] = feature.first;
    }
    return true;
  }
  std::string place() const override { return reader_.place(); }

 private:
  void check(const ExampleFeature& feature) const {
    const auto fail = [&](const std::string& fault) {
      return invalid_argument(file_->name(), ": ", place(), ": the feature '", feature.name, "' ",
                              fault, "; leave it out (", remedy_, ")");
    };
    if (feature.values > 1) {
      throw fail(str("has ", feature.values, " values, but a column of a table has one a row"));
    }
    if (feature.first.kind == CellValue::kText && !is_utf8(feature.first.text))
      throw fail("holds bytes that are no UTF-8 text");
  }

  std::shared_ptr<const StreamedFile> file_;
  Places wanted_;
  size_t columns_;
  ExampleReader reader_;
  std::string remedy_;
  std::vector<ExampleFeature> features_;
};

}  // namespace

SourcePointer open_examples(std::shared_ptr<const StreamedFile> file, const TableOptions& options) {
  RowFile rows{.name = file->name()};
  Places places;
  ExampleReader reader(*file, options.skip_damaged);
  std::vector<ExampleFeature> features;
  int64_t count = 0;
  for (; reader.next(features); ++count) {
    for (const ExampleFeature& feature : features) {
      if (!places.emplace(feature.name, places.size()).second) continue;
      rows.columns.push_back({std::string(feature.name), ColumnType::kText});
    }
  }
  const int64_t damaged = reader.records().damaged();
  if (count == 0 || places.empty()) {
    throw invalid_argument(file->name(), ": has no ",
                           count == 0 ? "record" : "feature in any record",
                           damaged == 0 ? "" : " that is not damaged");
  }
  if (damaged != 0) {
    rows.notes.push_back(damaged == 1 ? std::string("1 damaged record was left out")
                                      : str(damaged, " damaged records were left out"));
  }
  // Features that are not asked for may have as many values as they like.
  Places wanted;
  for (const auto& [name, place] : places) {
    if (options.columns.empty() ||
        std::ranges::find(options.columns, name) != options.columns.end())
      wanted.emplace(name, place);
  }
  rows.rows = count;
  rows.open = [file, wanted, columns = places.size(), options] {
    return std::make_unique<ExampleStream>(file, wanted, columns, options);
  };
  rows.fingerprint = [file] { return file->fingerprint(); };
  return row_source(std::move(rows), options);
}

}  // namespace thalweg::data
