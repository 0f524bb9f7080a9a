// Words and numbers that come as text are made ids and numbers inside the graph, by a vocabulary
// in memory, one in a file, hashing, crossing and parsing, and the whole is exported for
// TensorFlow. The export is loaded again and must give the same.
//   example_export_vocabulary FOLDER       (default: exported_vocabulary)
#include <thalweg/thalweg.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace thalweg;

namespace {

Tensor words(std::initializer_list<std::string> values) { return Tensor::of<std::string>(values); }

// "" is not a number here: NaN, where TensorFlow's StringToNumber alone would fail.
Output number_or_nan(Output text) {
  Graph& graph = text.graph();
  const Output none = constant(graph, Tensor(std::string()));
  const Output nan = constant(graph, Tensor(std::string("nan")));
  return string_to_number(select(equal(text, none), nan, text));
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "exported_vocabulary";
  std::filesystem::remove_all(folder);
  const std::string vocabulary_file = folder + "_animals.txt";
  std::ofstream(vocabulary_file) << "cat\ntext\ndog\n";

  Graph graph(standard_ops());
  const Output word = placeholder(graph, kString, {kUnknownDim}, {.name = "word"});
  const Output number = placeholder(graph, kString, {kUnknownDim}, {.name = "number"});

  // A vocabulary in the graph: ids of known words, -1 of others.
  const Output table = hash_table(graph, kString, kInt64, {.name = "vocabulary"});
  Node& fill = initialize_table(table, constant(graph, words({"text", "word", "dog"})),
                                constant(graph, Tensor::of<int64_t>({0, 1, 2})));
  const Output none = constant(graph, Tensor(int64_t{-1}));
  const Output id = lookup_table_find(table, word, none);

  // The same from a file, which goes along as an asset: the id is the line's number.
  const Output file_table = hash_table(graph, kString, kInt64, {.name = "animals"});
  Node& fill_from_file = initialize_table_from_text_file(file_table, vocabulary_file);
  const Output line = lookup_table_find(file_table, word, none);

  const Output value = number_or_nan(number);
  const Output bucket = bucketize(value, {0.0f, 1.0f, 10.0f});
  const Output hash = string_to_hash_bucket_fast(word, 1000);
  const SparseTensor cross = sparse_cross({.dense = {expand_dims(word, 1), expand_dims(number, 1)}},
                                          {.num_buckets = 1000000});
  const SparseTensor other =
      sparse_cross_hashed({.dense = {expand_dims(word, 1), cast(expand_dims(bucket, 1), kInt64)}},
                          {.num_buckets = 1000000});

  const SignatureSpec signature{.inputs = {{"word", word}, {"number", number}},
                                .outputs = {{"id", id},
                                            {"line", line},
                                            {"value", value},
                                            {"bucket", bucket},
                                            {"hash", hash},
                                            {"text", as_string(hash)},
                                            {"cross", reshape(cross.values, {-1})},
                                            {"other_cross", reshape(other.values, {-1})}}};
  write_saved_model(folder, graph, {signature}, {},
                    {.initializers = {&fill, &fill_from_file},
                     .assets = {{fill_from_file.input(1), vocabulary_file}}});
  std::filesystem::remove(vocabulary_file);  // the model has its own

  const NamedTensors inputs = {{"word", words({"dog", "text", "bird", ""})},
                               {"number", words({"0.5", "", "12", "-3e2"})}};
  const NamedTensors outputs = LoadedModel::load(folder)->run(inputs);
  for (const auto& [key, tensor] : outputs)
    std::printf("%-12s %s\n", key.c_str(), tensor.to_string().c_str());
  const bool right = outputs.at("id").same_bits(Tensor::of<int64_t>({2, 0, -1, -1})) &&
                     outputs.at("line").same_bits(Tensor::of<int64_t>({2, 1, -1, -1})) &&
                     outputs.at("bucket").same_bits(Tensor::of<int32_t>({1, 3, 3, 0}));
  return right ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
