// The graph of a transform in TensorFlow itself, and its feature columns beside ours. Skipped where
// THALWEG_PYTHON names no Python with TensorFlow.
#include <cstdlib>
#include <fstream>

#include "estimator/bytes_json.h"
#include "testing.h"
#include "thalweg/estimator/transform.h"
#include "thalweg/formats/graph_def.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/tensor/npy.h"

namespace thalweg {
namespace {

using namespace columns;  // NOLINT: the names are the subject
using data::Column;

// Reads graph.pb, plan.json and expected_N.npy from the folder: the graph must give these in
// TensorFlow 1's session, and tf.feature_column the ids.
constexpr const char* kScript = R"PYTHON(
import json, os, sys
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import logging
logging.disable(logging.WARNING)
import numpy as np
import tensorflow as tf
from tensorflow.python.feature_column import feature_column_v2 as v2

folder = sys.argv[1]
plan = json.load(open(folder + '/plan.json'))
raw = {}
for c in plan['raw']:
    cells = c['cells']
    if c['dtype'] == 'string':
        raw[c['column']] = np.array([x.encode() for x in cells], dtype=object)
    else:
        raw[c['column']] = np.array([np.nan if x is None else x for x in cells], c['dtype'])

graph_def = tf.compat.v1.GraphDef()
graph_def.ParseFromString(open(folder + '/graph.pb', 'rb').read())
ours = {}
with tf.Graph().as_default() as graph:
    tf.import_graph_def(graph_def, name='')
    with tf.compat.v1.Session(graph=graph) as session:
        for name in plan['tables']:
            session.run(graph.get_operation_by_name(name))
        feeds = {c['node'] + ':0': raw[c['column']] for c in plan['raw']}
        for i, output in enumerate(plan['outputs']):
            got = session.run(output, feeds)
            want = np.load('%s/expected_%d.npy' % (folder, i))
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6, err_msg=output)
            ours[plan['names'][i]] = want
        tiny = {k: v[:1] for k, v in feeds.items()}
        session.run(plan['outputs'], tiny)

fc = tf.feature_column
age = fc.bucketized_column(fc.numeric_column('age'), [18, 25, 65])
occupation = fc.categorical_column_with_hash_bucket('occupation', 1000)
theirs = {
    'age_bucketized': age,
    'occupation': occupation,
    'education': fc.categorical_column_with_vocabulary_list(
        'education', ['BSc', 'MSc'], num_oov_buckets=7),
    'user': fc.categorical_column_with_identity('user', 5, default_value=4),
    'age_bucketized_X_occupation': fc.crossed_column([age, 'occupation'], 10000),
    'education_X_occupation': fc.crossed_column(['occupation', 'education'], 10000),
    'age_bucketized_X_education_X_occupation': fc.crossed_column(
        ['occupation', fc.crossed_column([age, 'education'], 3)], 1 << 40),
}
# Sparse, as TensorFlow's parsing of Examples gives them: dense ones of a cross go behind the others.
present = ~np.isnan(raw['age'])
features = {
    'age': tf.constant(np.where(present, raw['age'], 0).astype('float32')[:, None]),
    'occupation': tf.sparse.from_dense(raw['occupation'][:, None]),
    'education': tf.sparse.from_dense(raw['education'][:, None]),
    'user': tf.constant(np.array([int(x) if x else -1 for x in raw['user']], 'int64')[:, None]),
}
for i, key in enumerate(plan['ids']):
    if key not in theirs: continue
    cache = v2.FeatureTransformationCache(dict(features))
    tensors = theirs[key].get_sparse_tensors(cache, None)
    ids = tf.sparse.to_dense(tensors.id_tensor, default_value=-1).numpy()[:, 0]
    if 'age' in key: ids[~present] = -1  # TensorFlow's numbers have no missing ones
    np.testing.assert_array_equal(ids, ours['ids'][:, i], err_msg=key)
    del theirs[key]
assert not theirs, theirs
print('equal')
)PYTHON";

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

Json cells_json(const Tensor& tensor) {
  Json cells = Json::array();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (tensor.dtype() == kString) {
      cells.push_back(tensor.data<std::string>()[static_cast<size_t>(i)]);
    } else {
      cells.push_back(tensor.at(i));  // NaN is written as null
    }
  }
  return cells;
}

TEST(TransformInTensorFlow, GivesTheSameTensorsAndIds) {
  const char* python = std::getenv("THALWEG_PYTHON");
  if (python == nullptr || *python == 0) {
    GTEST_SKIP() << "THALWEG_PYTHON names no Python with TensorFlow";
  }
  const auto texts = [](const std::string& name, const std::vector<std::string>& cells) {
    return Column(name, cells);
  };
  const double nan = std::nan("");
  const Table table(
      {Column("age", std::vector<double>{17, 18, nan, 64.5, 65, 25}),
       texts("occupation", {"Sales", "Tech", "", "Ärztin", "Sales", "x\ny"}),
       texts("education", {"BSc", "PhD", "MSc", "", "none", "BSc"}),
       Column("user", std::vector<int64_t>{0, 4, 7, -3, 2, 0}, {0, 0, 0, 0, 0, 1}),
       Column("time", std::vector<double>{1e9, 1e9 + 1, nan, 1e9 + 3, 1e9 + 4, 1e9 + 5}),
       Column("income", std::vector<int64_t>{1, 10, 100, 1000, 10000, 100000}),
       texts("review", {"Don't PANIC, don't!", "", "'Über' 數據 good good", "not good", "zzz",
                        "panic panic panic"}),
       texts("tags", {"red|green", "", "|blue| red ", "red", "pink", "red|red"}),
       texts("amounts", {"1|2", "", "0.5|-1", "3", "4", "1|1"}),
       texts("day", {"2024-02-29", "", "2026-12-01 18:30", "1999-01-31", "2000-12-31T23:59:59Z",
                     "1970-01-01"})});
  const FeatureColumn age = bucketized("age", {.boundaries = {18, 25, 65}});
  const FeatureColumn tags = list("tags", {.separator = "|", .min_count = 2});
  const std::vector<FeatureColumn> columns = {
      age,
      hashed("occupation", 1000),
      vocabulary("education", {.values = {"BSc", "MSc"}, .oov_buckets = 7}),
      identity("user", 5, 4),
      crossed({age, "occupation"}, 10000),
      crossed({"occupation", "education"}, 10000),
      crossed({"occupation", crossed({age, "education"}, 3)}, int64_t{1} << 40),
      crossed({tags, "education"}, 100),
      numeric("age"),
      numeric("time"),
      numeric("income", {.scaling = Scaling::kLog}),
      numeric("user", {.scaling = Scaling::kMinMax}),
      bucketized("time", {.quantiles = 3}),
      text("review", {.ngrams = 2, .min_count = 1}),
      text("review", {.min_count = 1, .tf_idf = false}),
      text("review", {.hash_buckets = 20}),
      tags,
      weighted(tags, "amounts"),
      weighted(hashed("occupation", 1000), "income"),
      date("day"),
  };
  const Transform transform = Transform::fit(columns, *data::table_source(table));
  const testing::TemporaryFolder folder;
  Graph graph(standard_ops());
  std::vector<Output> raw;
  Json plan;
  const std::vector<Tensor> cells = transform.raw(table);
  for (size_t i = 0; i < cells.size(); ++i) {
    const RawInput& input = transform.inputs()[i];
    raw.push_back(placeholder(graph, input.dtype, {kUnknownDim}, {.name = "raw"}));
    plan["raw"].push_back({{"column", input.column},
                           {"dtype", to_string(input.dtype)},
                           {"node", raw.back().node()->name()},
                           {"cells", cells_json(cells[i])}});
  }
  std::vector<Node*> tables;
  const std::vector<Output> outputs = transform.build(graph, raw, &tables);
  for (const Node* node : tables) plan["tables"].push_back(node->name());
  const data::Example prepared = transform.prepare(table);
  const data::Spec spec = transform.prepared().components();
  ASSERT_EQ(spec.size(), outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    plan["outputs"].push_back(outputs[i].name());
    plan["names"].push_back(spec[i].name);
    write_npy(folder / str("expected_", i, ".npy"), prepared[i]);
  }
  for (const auto& category : transform.prepared().ids) plan["ids"].push_back(category.key);
  put(folder / "graph.pb", encode_graph(graph));
  put(folder / "plan.json", plan.dump());
  put(folder / "check.py", kScript);
  const std::string command =
      str("'", python, "' '", folder / "check.py", "' '", folder.path(), "'");
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace thalweg
