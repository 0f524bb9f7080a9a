// Reads a GraphDef, brings it into functional form and writes it: for tools/check_functionalize.py.
//
//   functionalize_file IN.pb OUT.pb [OUTPUT...]
#include <cstdio>
#include <fstream>

#include "formats/functionalize.h"
#include "thalweg/base/error.h"
#include "thalweg/ops/standard_ops.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("functionalize_file IN.pb OUT.pb [OUTPUT...]\n", stderr);
    return 2;
  }
  try {
    tensorflow::GraphDef graph;
    std::ifstream in(argv[1], std::ios::binary);
    if (!graph.ParseFromIstream(&in)) throw thalweg::data_loss(argv[1], " is no GraphDef");
    thalweg::functionalize(graph, thalweg::standard_ops(), {argv + 3, argv + argc});
    std::ofstream out(argv[2], std::ios::binary);
    if (!graph.SerializeToOstream(&out)) throw thalweg::unavailable("cannot write ", argv[2]);
  } catch (const thalweg::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
