// A small convolutional network is trained on made-up pictures and exported for TensorFlow: as a
// SavedModel with its weights as constants, as one with variables, and as a checkpoint. The first
// is loaded again and must give the same numbers.
//   example_export_saved_model FOLDER       (default: exported)
#include <thalweg/thalweg.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

using namespace thalweg;

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "exported";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);

  Graph graph(standard_ops());
  graph.set_seed(5);
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 8, 8, 1}, {.name = "pictures"});
  const Output labels = placeholder(graph, kInt64, {kUnknownDim}, {.name = "labels"});
  const Sequential network(
      {Conv2d({.filters = 4, .kernel_size = {3, 3}, .padding = "SAME", .use_bias = false}),
       BatchNorm(), MaxPool2d(), Flatten(), Dense({.units = 2})});
  const Output loss = losses::sparse_softmax_cross_entropy(labels, network(x, Mode::kTraining));
  const Output probabilities = softmax(network(x, Mode::kPredicting));
  Node& train = Adam({.learning_rate = 0.02}).minimize(loss);

  // A bright bar that stands (0) or lies (1), in noise.
  Philox random(7);
  Tensor pictures(kFloat32, {64, 8, 8, 1}), classes(kInt64, {64});
  for (int64_t i = 0; i < 64; ++i) {
    const bool lies = i % 2 == 1;
    const auto place = static_cast<int64_t>(random.uniform() * 8);
    classes.mutable_data<int64_t>()[static_cast<size_t>(i)] = lies ? 1 : 0;
    for (int64_t row = 0; row < 8; ++row) {
      for (int64_t column = 0; column < 8; ++column) {
        const bool bright = (lies ? row : column) == place;
        pictures.mutable_data<float>()[static_cast<size_t>((i * 8 + row) * 8 + column)] =
            static_cast<float>((bright ? 1 : 0) + 0.2 * random.normal());
      }
    }
  }
  Session session(graph);
  session.initialize();
  Tensor last;
  for (int step = 0; step < 60; ++step) {
    last = session.run({{x, pictures}, {labels, classes}}, {loss}, {&train})[0];
  }
  std::printf("loss after 60 steps: %.4f\n", last.item<float>());

  std::map<std::string, Tensor> values;
  for (const std::string& name : session.variables().names()) {
    values[name] = session.variables().get(name);
  }
  const SignatureSpec signature{.inputs = {{"pictures", x}},
                                .outputs = {{"probabilities", probabilities}}};
  write_saved_model(folder + "/frozen", graph, {signature}, values);
  write_saved_model(folder + "/with_variables", graph, {signature}, values, {.variables = true});
  BundleWriter checkpoint(folder + "/weights");
  for (const auto& [name, value] : values) checkpoint.add(name, value);
  checkpoint.finish();

  const auto model = LoadedModel::load(folder + "/frozen");
  const Tensor again = model->run({{"pictures", pictures}}).at("probabilities");
  const Tensor expected = session.run(probabilities, {{x, pictures}});
  double most = 0;
  for (int64_t i = 0; i < again.num_elements(); ++i) {
    most = std::max(most, std::abs(again.at(i) - expected.at(i)));
  }
  std::printf("exported to %s; the largest difference after loading is %.1e\n", folder.c_str(),
              most);
  return most < 1e-5 ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
