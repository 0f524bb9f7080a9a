#include "thalweg/estimator/feature_network.h"

#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using namespace columns;  // NOLINT: the names are the subject
using data::Column;
using testing::expect_error;

Column text_column(const std::string& name, const std::vector<std::string>& cells) {
  return Column(name, cells);
}

// Three rows through a network that is made of prepared tensors.
class Fixture {
 public:
  explicit Fixture(const std::vector<FeatureColumn>& columns)
      : transform(Transform::fit(columns, *data::table_source(table))),
        graph(standard_ops()),
        session(graph) {
    example = transform.prepare(table);
    for (const Tensor& tensor : example) batch.push_back(constant(graph, tensor));
  }
  std::vector<double> run(Output y) {
    session.initialize();
    const Tensor value = session.run(y);
    std::vector<double> result;
    for (int64_t i = 0; i < value.num_elements(); ++i) result.push_back(value.at(i));
    return result;
  }

  Table table =
      Table({Column("x", std::vector<double>{1, 2, 3}), text_column("c", {"a", "b", ""}),
             text_column("l", {"p q p", "", "q"}), Column("w", std::vector<double>{0.5, 2, -1}),
             Column("y", std::vector<double>{10, 20, 30})});
  Transform transform;
  Graph graph;
  Session session;
  data::Example example;
  PreparedBatch batch;
};

const FeatureColumn kX = numeric("x", {.scaling = Scaling::kNone});
const FeatureColumn kY = numeric("y", {.scaling = Scaling::kNone});

TEST(InputLayer, SetsColumnsSideBySideInTheOrderOfTheirNames) {
  const FeatureColumn c = indicator(vocabulary("c")), l = indicator(list("l"));
  Fixture f({kY, l, kX, c});
  const Output layer = input_layer(f.transform, {kY, l, kX, c, kX}, f.batch);
  EXPECT_EQ(layer.shape(), (Shape{3, 8}));
  // c_indicator (a, b, other), l_indicator (p, q, other), x, y.
  EXPECT_EQ(f.run(layer), (std::vector<double>{1, 0, 0, 2, 1, 0, 1, 10,  //
                                               0, 1, 0, 0, 0, 0, 2, 20,  //
                                               0, 0, 0, 0, 1, 0, 3, 30}));
}

TEST(InputLayer, HonoursWeightsInIndicators) {
  const FeatureColumn column = indicator(weighted(vocabulary("c"), "w"));
  Fixture f({column});
  EXPECT_EQ(f.run(input_layer(f.transform, {column}, f.batch)),
            (std::vector<double>{0.5, 0, 0, 0, 2, 0, 0, 0, 0}));
}

TEST(InputLayer, LooksUpEmbeddingsAndSharesThem) {
  const FeatureColumn column = embedding(list("l"), 2);
  Fixture f({column, kX});
  const Output layer = input_layer(f.transform, {column}, f.batch);
  const Output again = input_layer(f.transform, {column, kX}, f.batch);
  ASSERT_EQ(f.graph.variables().size(), 1u);
  EXPECT_EQ(f.graph.variables()[0].name, "input_layer/l_embedding/weights");
  f.session.initialize();
  f.session.variables().set("input_layer/l_embedding/weights",
                            Tensor::of<float>({3, 6, 9, 0, 1, 1}, {3, 2}));
  EXPECT_EQ(f.run(layer), (std::vector<double>{5, 4, 0, 0, 9, 0}));
  EXPECT_EQ(f.run(again), (std::vector<double>{5, 4, 1, 0, 0, 2, 9, 0, 3}));
}

TEST(InputLayer, TakesOneTableForSharedEmbeddings) {
  const Table table({text_column("a", {"u", "v"}), text_column("b", {"v", "u"})});
  const VocabularyOptions words = {.values = {"u", "v"}, .oov_buckets = 0};
  const auto shared = shared_embedding({vocabulary("a", words), vocabulary("b", words)}, 1);
  const Transform transform = Transform::fit(shared, *data::table_source(table));
  Graph graph(standard_ops());
  PreparedBatch batch;
  for (const Tensor& tensor : transform.prepare(table)) batch.push_back(constant(graph, tensor));
  const Output layer = input_layer(transform, shared, batch);
  Session session(graph);
  session.initialize();
  ASSERT_EQ(session.variables().names(),
            std::vector<std::string>{"input_layer/a_b_shared_embedding/weights"});
  session.variables().set("input_layer/a_b_shared_embedding/weights",
                          Tensor::of<float>({5, 7}, {2, 1}));
  const Tensor made = session.run(layer);
  EXPECT_TRUE(made.same_bits(Tensor::of<float>({5, 7, 7, 5}, {2, 2}))) << made.to_string();
}

TEST(SequenceLayer, KeepsValuesInTheirOrder) {
  const FeatureColumn column = embedding(list("l"), 1);
  Fixture f({kX, column, indicator(list("l"))});
  const Sequence sequence = sequence_layer(f.transform, column, f.batch);
  const Sequence flags = sequence_layer(f.transform, indicator(list("l")), f.batch);
  f.session.initialize();
  f.session.variables().set("input_layer/l_embedding/weights",
                            Tensor::of<float>({5, 7, 9}, {3, 1}));
  EXPECT_EQ(f.run(sequence.values), (std::vector<double>{5, 7, 5, 0, 0, 0, 7, 0, 0}));
  EXPECT_EQ(f.run(sequence.lengths), (std::vector<double>{3, 0, 1}));
  EXPECT_EQ(flags.values.shape(), (Shape{3, 3, 3}));
  EXPECT_EQ(f.run(flags.values)[4], 1);  // row 0, step 1: q
  expect_error(
      Code::kInvalidArgument, [&] { sequence_layer(f.transform, kX, f.batch); }, "'x'", "list()");
}

TEST(LinearModel, AddsWeightsOfNumbersAndIds) {
  const FeatureColumn c = vocabulary("c"), l = list("l");
  Fixture f({kX, kY, c, l});
  const Output y = linear_model(f.transform, {l, kY, c, kX}, f.batch, 2);
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_EQ(f.run(y), std::vector<double>(6, 0));  // all weights begin at 0
  VariableStore& store = f.session.variables();
  EXPECT_EQ(store.names(),
            (std::vector<std::string>{"linear/bias", "linear/c/weights", "linear/l/weights",
                                      "linear/x/weights", "linear/y/weights"}));
  store.set("linear/bias", Tensor::of<float>({100, 200}));
  store.set("linear/x/weights", Tensor::of<float>({1, 2}, {1, 2}));
  store.set("linear/y/weights", Tensor::of<float>({0, 1}, {1, 2}));
  store.set("linear/c/weights", Tensor::of<float>({1000, 0, 2000, 0, 3000, 0}, {3, 2}));
  store.set("linear/l/weights", Tensor::of<float>({0, 10000, 0, 20000, 0, 0}, {3, 2}));
  EXPECT_EQ(f.run(y), (std::vector<double>{1101, 40212, 2102, 224, 103, 20236}));
}

TEST(LinearModel, PenalisesItsWeightsButNotItsBias) {
  Fixture f({kX, vocabulary("c")});
  linear_model(f.transform, {kX, vocabulary("c")}, f.batch, 1, "l2(0.5)");
  EXPECT_EQ(f.graph.collected(kRegularizationLosses).size(), 2u);
}

TEST(FeatureNetwork, SaysWhichColumnsCannotBeTaken) {
  const FeatureColumn c = vocabulary("c"), e = embedding(c, 2);
  Fixture f({kX, c, e});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        input_layer(f.transform, {kX, c}, f.batch);
      },
      "'c'", "indicator()");
  expect_error(
      Code::kInvalidArgument, [&] { linear_model(f.transform, {e}, f.batch, 1); }, "'c_embedding'",
      "embedding");
  expect_error(
      Code::kInvalidArgument, [&] { input_layer(f.transform, {kY}, f.batch); }, "'y'",
      "fitted without");
  expect_error(
      Code::kInvalidArgument, [&] { input_layer(f.transform, {}, f.batch); }, "no columns");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        input_layer(f.transform, {kX, numeric("x")}, f.batch);
      },
      "two", "'x'");
}

TEST(FeatureNetwork, TakesNamesThatAreNoNodeNames) {
  const std::string name = "größe, [m].x";
  const Table table({Column(name, std::vector<double>{1, 2})});
  const FeatureColumn column = numeric(name);
  const Transform transform = Transform::fit({column}, *data::table_source(table));
  Graph graph(standard_ops());
  const Output prepared = constant(graph, transform.prepare(table)[0]);
  EXPECT_NO_THROW(linear_model(transform, {column}, {prepared}, 1));
  EXPECT_EQ(graph.variables()[0].name.rfind("linear/gr____e___m_.x_", 0), 0u)
      << graph.variables()[0].name;
}

}  // namespace
}  // namespace thalweg
