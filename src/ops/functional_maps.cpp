// map, scan and fold: loops over the rows of tensors.
#include "ops/row_count.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/functional.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/tensor_list.h"

namespace thalweg {
namespace {

std::string base_name(const MapOptions& options, std::string_view otherwise) {
  return options.name.empty() ? std::string(otherwise) : options.name;
}

Shape row_shape(const Output& x) { return x.shape().has_rank() ? x.shape().slice(1) : x.shape(); }

// What a loop over rows needs: lists of the rows, and how many there are.
struct Rows {
  Rows(const Outputs& elems, std::string_view what) {
    if (elems.empty()) throw invalid_argument(what, " needs a tensor to take rows from");
    Graph& graph = elems[0].graph().innermost();
    for (const Output& x : elems) {
      if (x.shape().rank() == 0) {
        throw invalid_argument(what, " goes over the rows of ", x.name(), ", which is a scalar");
      }
      const int64_t rows = x.shape().has_rank() ? x.shape()[0] : kUnknownDim;
      if (rows == kUnknownDim) continue;
      if (count != kUnknownDim && count != rows) {
        throw invalid_argument(what, " goes over tensors of ", count, " and of ", rows,
                               " rows; they must have as many");
      }
      count = rows;
    }
    size = count != kUnknownDim ? int_constant(graph, count) : row_count(elems[0]);
    for (const Output& x : elems) {
      lists.push_back(tensor_list_from_tensor(x));
      dtypes.push_back(x.dtype());
      shapes.push_back(row_shape(x));
    }
  }

  Outputs at(const Output& index) const {
    Outputs rows;
    for (size_t i = 0; i < lists.size(); ++i)
      rows.push_back(tensor_list_get_item(lists[i], index, dtypes[i], shapes[i]));
    return rows;
  }

  int64_t count = kUnknownDim;
  Output size;
  Outputs lists;
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
};

Outputs join(Outputs a, const Outputs& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Outputs part(const Outputs& values, size_t begin, size_t end) {
  return {values.begin() + static_cast<int64_t>(begin), values.begin() + static_cast<int64_t>(end)};
}

Output zero(Graph& graph) { return constant(graph, Tensor(int32_t{0})); }

// The place of step i.
Output place(const Output& i, const Rows& rows, bool reverse) {
  return reverse ? sub(rows.size, i + 1.0) : i;
}

}  // namespace

Outputs map_list(const LoopBody& f, const Outputs& elems, const MapOptions& options) {
  const std::string name = base_name(options, "map");
  const Rows rows(elems, name);
  Graph& graph = elems[0].graph().innermost();
  std::vector<DType> dtypes = options.dtypes;
  if (dtypes.empty()) dtypes = rows.dtypes;
  Outputs start = {zero(graph)};
  for (DType dtype : dtypes)
    start.push_back(tensor_list_reserve(rows.size, dtype, Shape::unknown()));
  std::vector<Shape> results(dtypes.size());
  const Outputs last = while_list(
      [&](const Outputs& v) { return less(v[0], rows.size); },
      [&](const Outputs& v) {
        const Outputs values = f(rows.at(v[0]));
        if (values.size() != dtypes.size()) {
          throw invalid_argument(name, ": the function gives ", values.size(), " results, but ",
                                 dtypes.size(), " are expected; tell their types in `dtypes`");
        }
        Outputs next = {v[0] + 1.0};
        for (size_t i = 0; i < values.size(); ++i) {
          if (values[i].dtype() != dtypes[i]) {
            throw invalid_argument(name, ": result ", i, " is ", values[i].dtype(), ", but ",
                                   dtypes[i], " is expected; tell the types in `dtypes`");
          }
          results[i] = values[i].shape();
          next.push_back(tensor_list_set_item(v[i + 1], v[0], values[i]));
        }
        return next;
      },
      start, {.name = name});
  Outputs stacked;
  for (size_t i = 0; i < dtypes.size(); ++i)
    stacked.push_back(tensor_list_stack(last[i + 1], dtypes[i], results[i], rows.count));
  return stacked;
}

Outputs scan_list(const FoldBody& f, const Outputs& elems, const Outputs& initial,
                  const MapOptions& options) {
  const std::string name = base_name(options, "scan");
  const Rows rows(elems, name);
  const size_t n = initial.size();
  Outputs start = join({zero(elems[0].graph().innermost())}, initial);
  for (const Output& state : initial)
    start.push_back(tensor_list_reserve(rows.size, state.dtype(), state.shape()));
  const Outputs last =
      while_list([&](const Outputs& v) { return less(v[0], rows.size); },
                 [&](const Outputs& v) {
                   const Output at = place(v[0], rows, options.reverse);
                   Outputs next = f(part(v, 1, n + 1), rows.at(at));
                   if (next.size() != n) {
                     throw invalid_argument(name, ": the function gives ", next.size(),
                                            " states, but ", n, " were given to start from");
                   }
                   const Outputs states = next;
                   for (size_t i = 0; i < n; ++i)
                     next.push_back(tensor_list_set_item(v[n + 1 + i], at, states[i]));
                   return join({v[0] + 1.0}, next);
                 },
                 start, {.name = name});
  Outputs stacked;
  for (size_t i = 0; i < n; ++i) {
    stacked.push_back(
        tensor_list_stack(last[n + 1 + i], initial[i].dtype(), initial[i].shape(), rows.count));
  }
  return stacked;
}

Outputs fold_list(const FoldBody& f, const Outputs& elems, const Outputs& initial,
                  const MapOptions& options) {
  const std::string name = base_name(options, "fold");
  const Rows rows(elems, name);
  const size_t n = initial.size();
  const Outputs last =
      while_list([&](const Outputs& v) { return less(v[0], rows.size); },
                 [&](const Outputs& v) {
                   const Output at = place(v[0], rows, options.reverse);
                   return join({v[0] + 1.0}, f(part(v, 1, n + 1), rows.at(at)));
                 },
                 join({zero(elems[0].graph().innermost())}, initial), {.name = name});
  return part(last, 1, n + 1);
}

}  // namespace thalweg
