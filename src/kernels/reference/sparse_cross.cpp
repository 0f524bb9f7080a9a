#include <farmhash.h>

#include <limits>
#include <string>

#include "kernels/families.h"
#include "kernels/reference/sparse.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::output_places;
using reference::OutputPlace;
using Request = const KernelRequest&;

// One column of features: which of its values belong to each row of the batch.
class Column {
 public:
  Column(int values, DType dtype, std::vector<Ints> rows)
      : values_(values), dtype_(dtype), rows_(std::move(rows)) {}
  int64_t count(int64_t row) const { return static_cast<int64_t>(at(row).size()); }
  std::string name(const KernelContext& context, int64_t row, int64_t i) const {
    const int64_t value = at(row)[static_cast<size_t>(i)];
    if (dtype_ == kString) return context.input<std::string>(values_)[value];
    return std::to_string(context.input<int64_t>(values_)[value]);
  }
  uint64_t hash(const KernelContext& context, int64_t row, int64_t i) const {
    const int64_t value = at(row)[static_cast<size_t>(i)];
    if (dtype_ != kString) return static_cast<uint64_t>(context.input<int64_t>(values_)[value]);
    const std::string& text = context.input<std::string>(values_)[value];
    return util::Fingerprint64(text.data(), text.size());
  }

 private:
  const Ints& at(int64_t row) const { return rows_[static_cast<size_t>(row)]; }
  int values_;
  DType dtype_;
  std::vector<Ints> rows_;
};

uint64_t mix(uint64_t value) { return value ^ (value >> 47); }

// TensorFlow's FingerprintCat64.
uint64_t join_hashes(uint64_t a, uint64_t b) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995u;
  uint64_t result = a ^ kFactor;
  result ^= mix(b * kFactor) * kFactor;
  result *= kFactor;
  return mix(mix(result) * kFactor);
}

class Columns {
 public:
  explicit Columns(Request request) : sparse_(static_cast<int>(request.node.attr<int64_t>("N"))) {
    for (const TensorSpec& input : request.inputs) {
      shapes_.push_back(input.shape);
      types_.push_back(input.dtype);
    }
    dense_ = static_cast<int>(request.node.attr<std::vector<DType>>("dense_types").size());
    for (int i = 0; i < sparse_; ++i) {
      indices_.emplace_back(request, i);
      dense_shapes_.emplace_back(request, 2 * sparse_ + i);
    }
  }

  std::vector<Column> read(const KernelContext& context, int64_t& batch) const {
    batch = -1;
    const auto agree = [&](int64_t rows) {
      if (batch >= 0 && rows != batch)
        throw invalid_argument("columns have ", batch, " and ", rows, " rows");
      batch = rows;
    };
    for (const IntsInput& shape : dense_shapes_) agree(shape.read(context).at(0));
    for (int i = 0; i < dense_; ++i) agree(shapes_[static_cast<size_t>(3 * sparse_ + i)][0]);
    std::vector<Column> columns;
    for (int i = 0; i < sparse_; ++i) {
      std::vector<Ints> rows(static_cast<size_t>(batch));
      const Ints indices = indices_[static_cast<size_t>(i)].read(context);
      for (size_t k = 0; k < indices.size(); k += 2) {
        if (indices[k] < 0 || indices[k] >= batch)
          throw invalid_argument("indices name row ", indices[k], ", outside [0, ", batch, ")");
        rows[static_cast<size_t>(indices[k])].push_back(static_cast<int64_t>(k / 2));
      }
      columns.emplace_back(sparse_ + i, types_[static_cast<size_t>(sparse_ + i)], std::move(rows));
    }
    for (int i = 0; i < dense_; ++i) {
      const int input = 3 * sparse_ + i;
      const int64_t features = shapes_[static_cast<size_t>(input)][1];
      std::vector<Ints> rows;
      for (int64_t row = 0; row < batch; ++row)
        rows.push_back(reference::evenly(row * features, 1, features));
      columns.emplace_back(input, types_[static_cast<size_t>(input)], std::move(rows));
    }
    return columns;
  }

 private:
  int sparse_ = 0;
  int dense_ = 0;
  std::vector<Shape> shapes_;
  std::vector<DType> types_;
  std::vector<IntsInput> indices_;
  std::vector<IntsInput> dense_shapes_;
};

// Calls f(row, which feature of each column) for all combinations, the last column's changing
// fastest, and gives the number in each row.
template <class F>
Ints for_each_cross(const std::vector<Column>& columns, int64_t batch, F f) {
  Ints counts(static_cast<size_t>(batch), 0);
  for (int64_t row = 0; row < batch; ++row) {
    int64_t total = columns.empty() ? 0 : 1;
    for (const Column& column : columns) total *= column.count(row);
    counts[static_cast<size_t>(row)] = total;
    for (int64_t n = 0; n < total; ++n) {
      Ints choice(columns.size());
      int64_t rest = n;
      for (size_t c = columns.size(); c-- > 0;) {
        choice[c] = rest % columns[c].count(row);
        rest /= columns[c].count(row);
      }
      f(row, choice);
    }
  }
  return counts;
}

void write_places(KernelContext& context, const std::vector<OutputPlace>& places,
                  const Ints& counts) {
  Ints indices;
  int64_t widest = 0;
  for (size_t row = 0; row < counts.size(); ++row) {
    widest = std::max(widest, counts[row]);
    for (int64_t i = 0; i < counts[row]; ++i) {
      indices.push_back(static_cast<int64_t>(row));
      indices.push_back(i);
    }
  }
  reference::write_indices(context, places[0], indices, 2);
  reference::write_vector(context, places[2], {static_cast<int64_t>(counts.size()), widest});
}

KernelPtr make_hashes(Request request) {
  const int64_t buckets = request.node.attr<int64_t>("num_buckets");
  const auto modulus =
      static_cast<uint64_t>(buckets > 0 ? buckets : std::numeric_limits<int64_t>::max());
  return make_kernel([inputs = Columns(request), modulus,
                      key = static_cast<uint64_t>(request.node.attr<int64_t>("hash_key")),
                      places = output_places(request)](KernelContext& context) {
    int64_t batch = 0;
    const std::vector<Column> columns = inputs.read(context, batch);
    Ints hashes;
    const Ints counts = for_each_cross(columns, batch, [&](int64_t row, const Ints& choice) {
      uint64_t hash = key;
      for (size_t c = 0; c < choice.size(); ++c)
        hash = join_hashes(hash, columns[c].hash(context, row, choice[c]));
      hashes.push_back(static_cast<int64_t>(hash % modulus));
    });
    write_places(context, places, counts);
    reference::write_vector(context, places[1], hashes);
  });
}

KernelPtr make_names(Request request, int separator) {
  return make_kernel([inputs = Columns(request), separator,
                      places = output_places(request)](KernelContext& context) {
    const std::string between =
        separator < 0 ? std::string("_X_") : *context.input<std::string>(separator);
    int64_t batch = 0;
    const std::vector<Column> columns = inputs.read(context, batch);
    std::vector<std::string> names;
    const Ints counts = for_each_cross(columns, batch, [&](int64_t row, const Ints& choice) {
      std::string& name = names.emplace_back();
      for (size_t c = 0; c < choice.size(); ++c)
        name += (c == 0 ? std::string() : between) + columns[c].name(context, row, choice[c]);
    });
    write_places(context, places, counts);
    auto* to = static_cast<std::string*>(
        places[1].memory(context, Shape{static_cast<int64_t>(names.size())}));
    std::move(names.begin(), names.end(), to);
  });
}

KernelPtr make_cross(Request request) {
  if (request.node.attr<bool>("hashed_output") != (request.outputs[1].dtype == kInt64))
    throw invalid_argument("`out_type` must be int64 of hashes and string of names");
  return request.outputs[1].dtype == kInt64 ? make_hashes(request) : make_names(request, -1);
}

KernelPtr make_cross_v2(Request request) {
  return make_names(request, static_cast<int>(request.inputs.size()) - 1);
}

constexpr KernelDef kKernels[] = {
    {"SparseCross", "reference", make_cross},
    {"SparseCrossV2", "reference", make_cross_v2},
};

}  // namespace

std::span<const KernelDef> reference_sparse_cross_kernels() { return kKernels; }

}  // namespace thalweg
