#include <algorithm>

#include "interop/interop.h"
#include "interop/mnist.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg::interop {
namespace {

// The prefix of the checkpoint in a folder: what stands before ".index", or the first file.
std::string find_prefix(const std::string& folder) {
  for (const std::string& name : list_folder(folder)) {
    if (name.ends_with(".index")) return join_path(folder, name.substr(0, name.size() - 6));
  }
  for (const std::string& name : list_folder(folder)) {
    if (!name.ends_with(".meta")) return join_path(folder, name);
  }
  return folder;
}

Row read_row(const std::string& name, const std::string& folder, const std::string& data) {
  Row row{.file = name};
  const std::string prefix = find_prefix(folder);
  try {
    const BundleReader reader(prefix);
    int64_t elements = 0;
    for (const std::string& tensor : reader.names()) {
      elements += reader.read(tensor).num_elements();
    }
    row.what = str("V2, ", reader.names().size(),
                   reader.names().size() == 1 ? " tensor, " : " tensors, ", elements, " elements");
    row.outcome = "every tensor read, checksums right";
    if (name == "mnist_softmax_regression") {
      Graph graph(standard_ops());
      const Output x = placeholder(graph, kFloat32, Shape{-1, 784}, {.name = "x"});
      const Output y = matmul(x, constant(graph, reader.read("regression/W"))) +
                       constant(graph, reader.read("regression/b"));
      Session session(graph);
      const double percent = mnist_accuracy(data, Shape{-1, 784}, [&](const Tensor& images) {
        return session.run(y, {{x, images}});
      });
      append(row.outcome,
             str("; ", check_percent(percent, 91.49), " of MNIST's test digits right"));
    }
  } catch (const Error& error) {
    row.outcome = str("refused: ", error.message());
    row.ok = false;
    if (name.starts_with("v1_format")) {
      row.what = "V1, one file";
      row.ok = error.code() == Code::kUnimplemented;
    }
  }
  // Messages name files; the table must not depend on where the data lies.
  for (size_t at; (at = row.outcome.find(data)) != std::string::npos;) {
    row.outcome.replace(at, data.size() + 1, "");
  }
  return row;
}

}  // namespace

std::vector<Row> checkpoint_rows(const std::string& data) {
  std::vector<Row> rows;
  const std::string folder = join_path(data, "checkpoints");
  for (const std::string& name : list_folder(folder)) {
    rows.push_back(read_row(name, join_path(folder, name), data));
  }
  return rows;
}

}  // namespace thalweg::interop
