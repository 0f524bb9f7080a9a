// What is exported predicts as the estimator does: read by LoadedModel, and by TensorFlow itself.
#include <cmath>
#include <cstdlib>

#include "census.h"
#include "table_testing.h"
#include "thalweg/base/file.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/tensor/npy.h"

namespace thalweg {
namespace {

using testing::TemporaryFolder;

// Feeds every row, by columns and as serialised Examples, and compares with what was predicted.
constexpr char kScript[] = R"(
import csv, os, sys
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['CUDA_VISIBLE_DEVICES'] = ''
import numpy as np, tensorflow as tf
folder = sys.argv[1]
csv.field_size_limit(10**8)
with open(folder + '/rows.csv', newline='', encoding='utf-8') as f:
    rows = list(csv.DictReader(f))
expected = np.load(folder + '/values.npy')
with open(folder + '/labels.txt', encoding='utf-8') as f:
    labels = f.read().split('\n')
model = tf.saved_model.load(folder + '/model')
by_columns = model.signatures['serving_default']
by_examples = model.signatures['examples']

def check(outputs, begin, what):
    end = begin + len(next(iter(outputs.values())))
    got = outputs.get('probabilities', outputs.get('predictions')).numpy()
    worst = np.abs(got.reshape(expected[begin:end].shape) - expected[begin:end])
    bound = 1e-5 * np.maximum(1, np.abs(expected[begin:end]))
    assert (worst <= bound).all(), (what, begin, worst.max())
    if 'classes' in outputs:
        names = [name.decode() for name in outputs['classes'].numpy()]
        assert names == labels[begin:end], (what, begin)

def example(row, inputs):
    feature = {}
    for name, spec in inputs.items():
        text = row.get(name, '')
        if text == '':
            continue
        if spec.dtype == tf.string:
            feature[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=[text.encode()]))
        else:
            feature[name] = tf.train.Feature(float_list=tf.train.FloatList(value=[float(text)]))
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()

inputs = by_columns.structured_input_signature[1]
for begin in range(0, len(rows), 4096):
    part = rows[begin:begin + 4096]
    feeds = {}
    for name, spec in inputs.items():
        cells = [row.get(name, '') for row in part]
        if spec.dtype == tf.string:
            feeds[name] = tf.constant([cell.encode() for cell in cells])
        else:
            feeds[name] = tf.constant([float(c) if c else float('nan') for c in cells], spec.dtype)
    check(by_columns(**feeds), begin, 'columns')
    if all(spec.dtype != tf.float64 for spec in inputs.values()):
        serialized = tf.constant([example(row, inputs) for row in part])
        check(by_examples(inputs=serialized), begin, 'examples')
)";

void put(const std::string& path, const std::string& bytes) { write_file(path, bytes); }

/// Whether there is a Python with TensorFlow.
const char* python() {
  const char* path = std::getenv("THALWEG_PYTHON");
  return path == nullptr || *path == 0 ? nullptr : path;
}

void expect_same_in_tensorflow(const TableEstimator& estimator, const Table& rows,
                               bool variables = false) {
  const TemporaryFolder folder;
  const TablePredictions predictions = estimator.predict(rows);
  estimator.export_saved_model(folder / "model", variables);
  put(folder / "rows.csv", data::to_csv(rows));
  put(folder / "labels.txt", join(predictions.labels, "\n"));
  put(folder / "check.py", kScript);
  write_npy(folder / "values.npy", predictions.values);
  const std::string command =
      str("'", python(), "' '", folder / "check.py", "' '", folder.path(), "'");
  EXPECT_EQ(std::system(command.c_str()), 0);
}

void expect_same_when_loaded(const TableEstimator& estimator, const Table& rows,
                             bool variables = false) {
  const TemporaryFolder folder;
  const TablePredictions predictions = estimator.predict(rows);
  estimator.export_saved_model(folder / "model", variables);
  const auto model = LoadedModel::load(folder / "model");
  NamedTensors inputs;
  const std::vector<Tensor> raw = estimator.transform().raw(rows);
  for (size_t i = 0; i < raw.size(); ++i) inputs[estimator.transform().inputs()[i].column] = raw[i];
  if (raw.empty()) inputs["rows"] = Tensor::zeros(kFloat32, {rows.rows()});
  const NamedTensors outputs = model->run(inputs);
  const bool has_classes = outputs.contains("probabilities");
  const Tensor& values = outputs.at(has_classes ? "probabilities" : "predictions");
  ASSERT_EQ(values.num_elements(), predictions.values.num_elements());
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    const double expected = predictions.values.at(i);
    ASSERT_NEAR(values.at(i), expected, 1e-5 * std::max(1.0, std::abs(expected))) << i;
  }
  if (!outputs.contains("classes")) return;
  for (int64_t i = 0; i < rows.rows(); ++i) {
    const auto row = static_cast<size_t>(i);
    ASSERT_EQ(outputs.at("classes").data<std::string>()[row], predictions.labels[row]);
  }
}

/// Names that are no names of nodes, and rows with missing cells.
Table odd_table(int64_t rows) {
  const Table table = small_table(rows);
  return table.with(table.column("colour").renamed("Größe (m²)"));
}

TEST(TableExport, PredictsTheSameWithEveryFamily) {
  const Table train = small_table(200), rows = small_table(40, 2);
  for (const TableModel& model : each_model()) {
    SCOPED_TRACE(family_of(model));
    for (const HeadSpec& head : {heads::classification("y"), heads::regression({"target"})}) {
      TableEstimator estimator(head, model, {.batch_size = 32});
      estimator.fit(train, {.epochs = 2});
      expect_same_when_loaded(estimator, rows);
      expect_same_when_loaded(estimator, rows, true);
    }
  }
}

TEST(TableExport, TakesColumnsOfAnyName) {
  const std::string name = "Größe (m²)";
  const Table train = odd_table(100);
  TableEstimator estimator(heads::classification("y"),
                           Linear{.columns = {columns::vocabulary(name), columns::numeric("x")}});
  estimator.fit(train);
  expect_same_when_loaded(estimator, train);
}

TEST(TableExport, PredictsTheSameInTensorFlow) {
  if (python() == nullptr) GTEST_SKIP() << "THALWEG_PYTHON names no Python with TensorFlow";
  const Table train = small_table(200), rows = small_table(40, 2);
  TableEstimator forest(heads::regression({"target"}),
                        Forest{.columns = tree_columns_of(), .trees = 10});
  forest.fit(train);
  expect_same_in_tensorflow(forest, rows);
  TableEstimator wide(heads::classification("y"), WideDeep{.linear_columns = linear_columns(),
                                                           .dnn_columns = dense_columns(),
                                                           .hidden_units = {8}});
  wide.fit(train, {.epochs = 2});
  expect_same_in_tensorflow(wide, rows, true);
}

class Census : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("THALWEG_DATA");
    if (data == nullptr) GTEST_SKIP() << "THALWEG_DATA names no data folder";
    train_ = read_census(data, "adult.data.gz");
    test_ = read_census(data, "adult.test.gz");
  }

  void check(const TableModel& model, const FitOptions& options, double least_accuracy) {
    TableEstimator estimator(heads::classification("income"), model);
    estimator.fit(train_, options);
    EXPECT_GE(estimator.evaluate(test_)["accuracy"], least_accuracy);
    expect_same_when_loaded(estimator, test_);
    if (python() != nullptr) expect_same_in_tensorflow(estimator, test_);
  }

  Table train_, test_;
};

TEST_F(Census, WideAndDeepIsTheSameEverywhere) { check(census_wide_deep(), {.epochs = 2}, 0.845); }

TEST_F(Census, ForestIsTheSameEverywhere) {
  check(Forest{.columns = census_tree_columns(), .trees = 20}, {}, 0.85);
}

TEST_F(Census, LinearIsTheSameEverywhere) {
  check(Linear{.columns = census_wide_deep().linear_columns}, {}, 0.83);
}

}  // namespace
}  // namespace thalweg
