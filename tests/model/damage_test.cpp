// Files of other programs cut at every byte, and with bytes changed: an error, never a crash.
#include <cstdlib>
#include <fstream>

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/formats/saved_model.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <class F>
void expect_error_or_nothing(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_NE(error.code(), Code::kInternal) << error.message();
    EXPECT_FALSE(error.message().empty());
  }
}

// A byte changed at places all over, the same ones each time.
std::string changed(std::string bytes, size_t number) {
  const size_t at = number * 2654435761u % bytes.size();
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << number % 8));
  return bytes;
}

// A model with a variable, written here, so that it is at hand everywhere.
class OwnModelDamage : public ::testing::Test {
 protected:
  OwnModelDamage() {
    Graph graph(standard_ops());
    const Output x = placeholder(graph, kFloat32, Shape{-1, 2}, {.name = "x"});
    const Output w =
        graph
            .add("VarHandleOp", {},
                 {{"dtype", kFloat32}, {"shape", Shape{2, 1}}, {"shared_name", std::string("w")}},
                 {.name = "w"})
            .output();
    const Output read = graph.add("ReadVariableOp", {w}, {{"dtype", kFloat32}}).output();
    write_saved_model(folder_ / "good", graph,
                      {{.inputs = {{"x", x}}, .outputs = {{"y", matmul(x, read)}}}},
                      {{"w", Tensor::of<float>({2, 3}, {2, 1})}}, {.variables = true});
    write_saved_model(folder_ / "bad", graph,
                      {{.inputs = {{"x", x}}, .outputs = {{"y", matmul(x, read)}}}},
                      {{"w", Tensor::of<float>({2, 3}, {2, 1})}}, {.variables = true});
  }

  // Loads and runs the model with one of its files cut or changed everywhere.
  void damage(const std::string& name) {
    const std::string bytes = read_file(folder_ / ("good/" + name));
    for (size_t size = 0; size < bytes.size(); ++size) {
      for (const std::string& damaged : {bytes.substr(0, size), changed(bytes, size)}) {
        put(folder_ / ("bad/" + name), damaged);
        expect_error_or_nothing([&] {
          LoadedModel::load(folder_ / "bad")->run({{"x", Tensor::of<float>({1, 2}, {1, 2})}});
        });
      }
    }
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(OwnModelDamage, OfTheGraphIsAnError) { damage("saved_model.pb"); }
TEST_F(OwnModelDamage, OfTheIndexIsAnError) { damage("variables/variables.index"); }
TEST_F(OwnModelDamage, OfTheDataIsAnError) { damage("variables/variables.data-00000-of-00001"); }

class Damage : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("THALWEG_DATA");
    if (data == nullptr) GTEST_SKIP() << "THALWEG_DATA names no data folder";
    data_ = data;
  }
  std::string file(const std::string& name) const { return read_file(join_path(data_, name)); }
  std::string data_;
  const testing::TemporaryFolder folder_;
};

TEST_F(Damage, OfGraphsIsAnError) {
  for (const char* name : {"frozen_graph/cppflow_small.pb", "frozen_graph/regression.pb",
                           "frozen_graph/lucid_graphdef.pb", "frozen_graph/rust_addition.pb"}) {
    const std::string bytes = file(name);
    for (size_t size = 0; size < bytes.size(); ++size) {
      expect_error_or_nothing([&] { parse_graph(bytes.substr(0, size), standard_ops()); });
      expect_error_or_nothing([&] { parse_graph(changed(bytes, size), standard_ops()); });
    }
  }
}

TEST_F(Damage, OfSavedModelsIsAnError) {
  for (const char* name : {"saved_model/matrix_half_plus_two/saved_model.pb",
                           "saved_model/times_three_float/saved_model.pb"}) {
    const std::string bytes = file(name);
    // Every byte of the small one; of the larger, every seventh.
    for (size_t size = 0; size<bytes.size(); size += bytes.size()> 2000 ? 7 : 1) {
      for (const std::string& damaged : {bytes.substr(0, size), changed(bytes, size)}) {
        put(folder_ / "saved_model.pb", damaged);
        expect_error_or_nothing([&] {
          const SavedModelFile model(folder_.path());
          for (const MetaGraph& graph : model.graphs()) graph.summarize(standard_ops());
        });
      }
    }
  }
}

TEST_F(Damage, OfTextIsAnError) {
  const std::string text = file("saved_model/half_plus_two_pbtxt/saved_model.pbtxt");
  for (size_t size = 0; size < text.size(); size += 97) {
    put(folder_ / "saved_model.pbtxt", text.substr(0, size));
    expect_error_or_nothing([&] { SavedModelFile model(folder_.path()); });
  }
}

TEST_F(Damage, OfACompressedIndexIsAnError) {
  const std::string index = file("checkpoints/bert_lite_tf2/bert_lite_tf2.ckpt.index");
  put(folder_ / "c.data-00000-of-00001",
      file("checkpoints/bert_lite_tf2/bert_lite_tf2.ckpt.data-00000-of-00001"));
  for (size_t size = 0; size < index.size(); ++size) {
    for (const std::string& damaged : {index.substr(0, size), changed(index, size)}) {
      put(folder_ / "c.index", damaged);
      expect_error_or_nothing([&] {
        const BundleReader reader(folder_ / "c");
        for (const std::string& name : reader.names()) reader.read(name);
      });
    }
  }
}

}  // namespace
}  // namespace thalweg
