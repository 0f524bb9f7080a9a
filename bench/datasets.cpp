#include "datasets.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/philox.h"
#include "thalweg/data/idx.h"
#include "thalweg/data/table_source.h"

namespace thalweg::bench {
namespace {

using data::Column;
using data::ColumnType;
using data::Texts;

std::string data_path(const std::string& name) {
  const char* folder = std::getenv("THALWEG_DATA");
  if (folder == nullptr) {
    throw not_found("THALWEG_DATA is not set; it names the folder with the data sets");
  }
  return join_path(folder, name);
}

const std::vector<std::string> kCensusNames = {
    "age",          "workclass",    "fnlwgt",         "education",      "education_num",
    "marital",      "occupation",   "relationship",   "race",           "gender",
    "capital_gain", "capital_loss", "hours_per_week", "native_country", "income"};

// The labels of the test file end in a full stop.
Table without_full_stops(const Table& table, const std::string& name) {
  const Column& column = table.column(name);
  std::vector<std::string> cells;
  for (int64_t row = 0; row < table.rows(); ++row) {
    std::string cell = column.cell(row);
    if (cell.ends_with('.')) cell.pop_back();
    cells.push_back(std::move(cell));
  }
  return table.with(Column(name, cells));
}

Rows census() {
  data::TableOptions options{.header = false, .names = kCensusNames};
  Table train = data::read_table(data_path("adult/adult.data.gz"), options);
  options.skip_rows = 1;  // "|1x3 Cross validator"
  const Table test = data::read_table(data_path("adult/adult.test.gz"), options);
  return {.train = std::move(train), .test = without_full_stops(test, "income"), .label = "income"};
}

Table without_gaps(const Table& table) {
  std::vector<int64_t> whole;
  for (int64_t row = 0; row < table.rows(); ++row) {
    if (std::ranges::none_of(table.columns(), [&](const Column& c) { return c.is_missing(row); })) {
      whole.push_back(row);
    }
  }
  return table.rows(whole);
}

// scikit-learn's files: a first line with counts and names, then numbers with the class last.
Rows of_scikit_learn(const std::string& path, int64_t skipped) {
  const data::TableOptions options{.header = false, .skip_rows = skipped};
  Rows rows{.train = data::read_table(data_path(path), options)};
  rows.label = rows.train.columns().back().name();
  return rows;
}

Rows diabetes() {
  const Table x = data::read_table(data_path("diabetes/diabetes_data_raw.csv.gz"),
                                   {.delimiter = ' ', .header = false});
  const Table y = data::read_table(data_path("diabetes/diabetes_target.csv.gz"), {.header = false});
  return {.train = x.with(y.columns()[0].renamed("target")), .label = "target"};
}

// A sentence, a tab, 0 or 1; a quotation mark is one like any other character.
Rows sentences(const std::string& path) {
  std::vector<std::string> texts, labels;
  for (const std::string& line : split(read_file(data_path(path)), '\n')) {
    const size_t tab = line.rfind('\t');
    if (tab == std::string::npos) continue;
    texts.push_back(line.substr(0, tab));
    labels.push_back(line.substr(tab + 1, 1));
  }
  return {.train = Table({Column("sentence", texts), Column("label", labels)}), .label = "label"};
}

Table mnist_part(data::Split part) {
  const Dataset images = data::read_idx_folder(data_path("mnist"), part);
  const Tensor pixels = images.component(0);
  const Tensor labels = images.component(1);
  const int64_t rows = labels.dim(0), width = pixels.num_elements() / rows;
  const auto cells = pixels.data<uint8_t>();
  std::vector<Column> columns;
  for (int64_t i = 0; i < width; ++i) {
    std::vector<double> values;
    values.reserve(static_cast<size_t>(rows));
    for (int64_t row = 0; row < rows; ++row) {
      values.push_back(cells[static_cast<size_t>(row * width + i)] / 255.0);
    }
    columns.emplace_back(str("p", i), std::move(values));
  }
  const auto classes = labels.data<int64_t>();
  columns.emplace_back("label", std::vector<int64_t>(classes.begin(), classes.end()));
  return Table(std::move(columns));
}

}  // namespace

Rows load_dataset(const std::string& name) {
  if (name == "adult") return census();
  if (name == "iris") return of_scikit_learn("iris/iris.csv", 1);
  if (name == "wine") return of_scikit_learn("wine/wine_data.csv", 1);
  if (name == "breast-cancer") return of_scikit_learn("breast-cancer/breast_cancer.csv", 1);
  if (name == "digits") return of_scikit_learn("digits8x8/digits.csv.gz", 0);
  if (name == "diabetes") return diabetes();
  if (name == "imdb") return sentences("sentiment-sentences/imdb_labelled.txt");
  if (name == "amazon") return sentences("sentiment-sentences/amazon_cells_labelled.txt");
  if (name == "mnist") {
    return {.train = mnist_part(data::Split::kTrain),
            .test = mnist_part(data::Split::kTest),
            .label = "label"};
  }
  if (name == "penguins") {
    const std::vector<std::string> columns = {"species", "bill_length_mm", "bill_depth_mm",
                                              "flipper_length_mm", "body_mass_g"};
    return {
        .train = without_gaps(data::read_table(data_path("penguins/penguins.csv")).select(columns)),
        .label = "species"};
  }
  if (name == "titanic") {
    const std::vector<std::string> columns = {"survived", "pclass", "sex",  "age",
                                              "sibsp",    "parch",  "fare", "embarked"};
    return {.train = data::read_table(data_path("titanic/titanic.csv")).select(columns),
            .label = "survived"};
  }
  if (name == "covertype") {
    const std::vector<std::string> id = {"Id"};
    return {
        .train = data::read_table(data_path("covertype/covertype-train-15120.csv.gz")).without(id),
        .label = "Cover_Type"};
  }
  if (name == "california") {
    return {.train = data::read_table(data_path("california-housing/housing.csv.gz")),
            .label = "median_house_value"};
  }
  throw not_found("there is no data set '", name, "'");
}

std::vector<Fold> make_folds(int64_t rows, int count, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  Philox random(seed);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<size_t>(random.uniform() * static_cast<double>(i))]);
  }
  std::vector<Fold> folds(static_cast<size_t>(count));
  for (size_t i = 0; i < order.size(); ++i) folds[i % folds.size()].push_back(order[i]);
  for (Fold& fold : folds) std::ranges::sort(fold);
  return folds;
}

std::vector<Fold> make_stratified_folds(const Column& labels, int count) {
  std::vector<int64_t> classes;  // of each row, numbered as they appear
  std::map<std::string, int64_t> numbers;
  for (int64_t row = 0; row < labels.size(); ++row) {
    const auto next = static_cast<int64_t>(numbers.size());
    classes.push_back(numbers.emplace(labels.cell(row), next).first->second);
  }
  std::vector<int64_t> sorted = classes;
  std::ranges::sort(sorted);
  // room[c][f]: how many rows of class c part f takes, from the first on.
  std::vector<std::vector<int64_t>> room(numbers.size(), std::vector<int64_t>(count));
  for (size_t i = 0; i < sorted.size(); ++i) {
    ++room[static_cast<size_t>(sorted[i])][i % static_cast<size_t>(count)];
  }
  std::vector<Fold> folds(static_cast<size_t>(count));
  for (size_t row = 0; row < classes.size(); ++row) {
    std::vector<int64_t>& left = room[static_cast<size_t>(classes[row])];
    const auto fold = static_cast<size_t>(
        std::ranges::find_if(left, [](int64_t n) { return n > 0; }) - left.begin());
    --left[fold];
    folds[fold].push_back(static_cast<int64_t>(row));
  }
  return folds;
}

std::pair<Table, Table> train_and_test(const Table& table, const Fold& test) {
  std::vector<int64_t> rest;
  auto next = test.begin();
  for (int64_t row = 0; row < table.rows(); ++row) {
    if (next != test.end() && *next == row) {
      ++next;
    } else {
      rest.push_back(row);
    }
  }
  return {table.rows(rest), table.rows(test)};
}

namespace {

struct CensusColumns {
  FeatureColumn gender = columns::vocabulary("gender");
  FeatureColumn education = columns::hashed("education", 1000);
  FeatureColumn relationship = columns::hashed("relationship", 100);
  FeatureColumn workclass = columns::hashed("workclass", 100);
  FeatureColumn occupation = columns::hashed("occupation", 1000);
  FeatureColumn country = columns::hashed("native_country", 1000);
  FeatureColumn marital = columns::hashed("marital", 100);
  FeatureColumn age =
      columns::bucketized("age", {.boundaries = {18, 25, 30, 35, 40, 45, 50, 55, 60, 65}});
};

}  // namespace

std::vector<FeatureColumn> census_wide() {
  const CensusColumns c;
  return {c.gender,
          c.country,
          c.education,
          c.occupation,
          c.workclass,
          c.relationship,
          c.marital,
          c.age,
          columns::crossed({c.education, c.occupation}, 10000),
          columns::crossed({c.age, c.education, c.occupation}, 1000000),
          columns::crossed({c.country, c.occupation}, 10000)};
}

std::vector<FeatureColumn> census_deep() {
  const CensusColumns c;
  std::vector<FeatureColumn> deep;
  for (const FeatureColumn& category :
       {c.workclass, c.education, c.gender, c.relationship, c.marital, c.country, c.occupation}) {
    deep.push_back(columns::embedding(category, 8));
  }
  for (const char* name : {"age", "education_num", "hours_per_week"}) {
    deep.push_back(columns::numeric(name));
  }
  for (const char* name : {"capital_gain", "capital_loss"}) {
    deep.push_back(columns::numeric(name, {.scaling = columns::Scaling::kLog}));
  }
  return deep;
}

}  // namespace thalweg::bench
