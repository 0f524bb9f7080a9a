// Crosses of features. Rows are independent of each other, so they are crossed in parallel once it
// is known how many crosses come before each.
#include <array>
#include <limits>
#include <string>

#include "kernels/families.h"
#include "kernels/reference/sparse.h"
#include "kernels/reference/text.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::output_places;
using reference::OutputPlace;
using Request = const KernelRequest&;

constexpr int64_t kGrain = 128;  // strings or crosses that take about 5 microseconds

// One column of features: which of its values belong to each row of the batch.
struct Column {
  int input = 0;
  DType dtype = DType::kInvalid;
  Ints starts;  // row r has the values order[starts[r]] to order[starts[r + 1]]
  Ints order;   // empty: the values lie row by row
  int64_t count(int64_t row) const {
    return starts[static_cast<size_t>(row) + 1] - starts[static_cast<size_t>(row)];
  }
  // Which value is the row's i-th.
  int64_t at(int64_t row, int64_t i) const {
    const int64_t place = starts[static_cast<size_t>(row)] + i;
    return order.empty() ? place : order[static_cast<size_t>(place)];
  }
  int64_t size() const { return starts.back(); }
};

// Sorts entries by their rows; those of one row keep their order.
Column sparse_column(const Ints& indices, int64_t batch) {
  Column column;
  column.starts.assign(static_cast<size_t>(batch) + 1, 0);
  bool in_order = true;
  for (size_t k = 0; k < indices.size(); k += 2) {
    if (indices[k] < 0 || indices[k] >= batch)
      throw invalid_argument("indices name row ", indices[k], ", outside [0, ", batch, ")");
    in_order = in_order && (k == 0 || indices[k] >= indices[k - 2]);
    ++column.starts[static_cast<size_t>(indices[k]) + 1];
  }
  std::partial_sum(column.starts.begin(), column.starts.end(), column.starts.begin());
  if (in_order) return column;
  Ints next = column.starts;
  column.order.resize(indices.size() / 2);
  for (size_t k = 0; k < indices.size(); k += 2) {
    column.order[static_cast<size_t>(next[static_cast<size_t>(indices[k])]++)] =
        static_cast<int64_t>(k / 2);
  }
  return column;
}

Column dense_column(int64_t batch, int64_t features) {
  Column column;
  column.starts = reference::evenly(0, features, batch + 1);
  return column;
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

  /// The inputs after the columns begin here.
  int end() const { return 3 * sparse_ + dense_; }

  std::vector<Column> read(const KernelContext& context, int64_t& batch) const {
    batch = -1;
    const auto agree = [&](int64_t rows) {
      if (batch >= 0 && rows != batch)
        throw invalid_argument("columns have ", batch, " and ", rows, " rows");
      batch = rows;
    };
    for (const IntsInput& shape : dense_shapes_) agree(shape.read(context).at(0));
    for (int i = 0; i < dense_; ++i) agree(shapes_[static_cast<size_t>(3 * sparse_ + i)][0]);
    batch = std::max<int64_t>(batch, 0);
    std::vector<Column> columns;
    const auto add = [&](Column column, int input) {
      column.input = input;
      column.dtype = types_[static_cast<size_t>(input)];
      columns.push_back(std::move(column));
    };
    for (int i = 0; i < sparse_; ++i) {
      add(sparse_column(indices_[static_cast<size_t>(i)].read(context), batch), sparse_ + i);
    }
    for (int input = 3 * sparse_; input < end(); ++input)
      add(dense_column(batch, shapes_[static_cast<size_t>(input)][1]), input);
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

// Writes where the crosses lie, and gives the number of crosses before each row, and of all.
Ints place_crosses(KernelContext& context, const std::vector<OutputPlace>& places,
                   const std::vector<Column>& columns, int64_t batch) {
  Ints starts = {0};
  starts.reserve(static_cast<size_t>(batch) + 1);
  int64_t widest = 0;
  for (int64_t row = 0; row < batch; ++row) {
    int64_t total = columns.empty() ? 0 : 1;
    for (const Column& column : columns) total *= column.count(row);
    widest = std::max(widest, total);
    starts.push_back(starts.back() + total);
  }
  auto* to = static_cast<int64_t*>(places[0].memory(context, Shape{starts.back(), 2}));
  for (int64_t row = 0; row < batch; ++row) {
    const int64_t total = starts[static_cast<size_t>(row) + 1] - starts[static_cast<size_t>(row)];
    for (int64_t i = 0; i < total; ++i) {
      *to++ = row;
      *to++ = i;
    }
  }
  reference::write_vector(context, places[2], {batch, widest});
  return starts;
}

// Calls f(cross, values) for all combinations of one value of each column in a row, the last
// column's changing fastest; `values` says which it is of each column.
template <class F>
void for_each_cross(const std::vector<Column>& columns, const Ints& starts, F f) {
  const auto batch = static_cast<int64_t>(starts.size()) - 1;
  parallel_for(batch, kGrain, [&](int64_t begin, int64_t end) {
    Ints values(columns.size());
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = starts[static_cast<size_t>(row)];
      const int64_t total = starts[static_cast<size_t>(row) + 1] - first;
      for (int64_t n = 0; n < total; ++n) {
        int64_t rest = n;
        for (size_t c = columns.size(); c-- > 0;) {
          const int64_t count = columns[c].count(row);
          values[c] = columns[c].at(row, rest % count);
          rest /= count;
        }
        f(first + n, values);
      }
    }
  });
}

uint64_t mix(uint64_t value) { return value ^ (value >> 47); }

// TensorFlow's FingerprintCat64.
uint64_t join_hashes(uint64_t a, uint64_t b) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995u;
  uint64_t result = a ^ kFactor;
  result ^= mix(b * kFactor) * kFactor;
  result *= kFactor;
  return mix(mix(result) * kFactor);
}

using Hashes = std::vector<uint64_t>;

// Of each value of a column.
template <class F, class G>
Hashes hash_values(const KernelContext& context, const Column& column, F hash_text, G hash_number) {
  Hashes hashes(static_cast<size_t>(column.size()));
  const bool is_text = column.dtype == kString;
  const auto* texts = is_text ? context.input<std::string>(column.input) : nullptr;
  const auto* numbers = is_text ? nullptr : context.input<int64_t>(column.input);
  parallel_for(column.size(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      hashes[static_cast<size_t>(i)] = is_text ? hash_text(texts[i]) : hash_number(numbers[i]);
    }
  });
  return hashes;
}

uint64_t number_itself(int64_t number) { return static_cast<uint64_t>(number); }

// Modulo the buckets; without any, modulo the largest int64, so that no hash is negative.
uint64_t modulus_of(int64_t buckets) {
  return static_cast<uint64_t>(buckets > 0 ? buckets : std::numeric_limits<int64_t>::max());
}

// `key`: what the hash of a cross starts from; without one, it starts from that of the first value.
void write_hashes(KernelContext& context, const std::vector<OutputPlace>& places,
                  const std::vector<Column>& columns, const std::vector<Hashes>& hashes,
                  const uint64_t* key, int64_t batch, uint64_t modulus) {
  const Ints starts = place_crosses(context, places, columns, batch);
  auto* to = static_cast<int64_t*>(places[1].memory(context, Shape{starts.back()}));
  for_each_cross(columns, starts, [&](int64_t cross, const Ints& values) {
    const auto value = [&](size_t c) { return hashes[c][static_cast<size_t>(values[c])]; };
    uint64_t hash = key != nullptr ? join_hashes(*key, value(0)) : value(0);
    for (size_t c = 1; c < values.size(); ++c) hash = join_hashes(hash, value(c));
    to[cross] = static_cast<int64_t>(hash % modulus);
  });
}

KernelPtr make_hashes(Request request) {
  return make_kernel([inputs = Columns(request),
                      modulus = modulus_of(request.node.attr<int64_t>("num_buckets")),
                      key = static_cast<uint64_t>(request.node.attr<int64_t>("hash_key")),
                      places = output_places(request)](KernelContext& context) {
    int64_t batch = 0;
    const std::vector<Column> columns = inputs.read(context, batch);
    std::vector<Hashes> hashes;
    for (const Column& column : columns)
      hashes.push_back(hash_values(context, column, reference::fingerprint64, number_itself));
    write_hashes(context, places, columns, hashes, &key, batch, modulus);
  });
}

// Buckets, kind of hash and salt are inputs.
KernelPtr make_cross_hashed(Request request) {
  const Columns inputs(request);
  const int first = inputs.end();
  const auto sparse = static_cast<int>(2 * request.node.attr<int64_t>("N"));  // values end there
  return make_kernel([inputs, first, sparse, buckets = IntsInput(request, first),
                      salt = IntsInput(request, first + 2),
                      places = output_places(request)](KernelContext& context) {
    int64_t batch = 0;
    const std::vector<Column> columns = inputs.read(context, batch);
    const Ints key = salt.read(context);
    if (key.size() != 2) throw invalid_argument("`salt` must have 2 entries, got ", key.size());
    const bool strong = *context.input<bool>(first + 1);
    const auto hash = [&](std::string_view bytes) {
      return strong ? reference::strong_hash64(bytes, static_cast<uint64_t>(key[0]),
                                               static_cast<uint64_t>(key[1]))
                    : reference::fingerprint64(bytes);
    };
    // TensorFlow hashes the lower four bytes of a number in a sparse column, and takes one in a
    // dense column as it is.
    const auto hash_bytes = [&](int64_t number) {
      std::array<char, 4> bytes;
      for (size_t b = 0; b < 4; ++b)
        bytes[b] = static_cast<char>(static_cast<uint64_t>(number) >> (8 * b));
      return hash(std::string_view(bytes.data(), bytes.size()));
    };
    std::vector<Hashes> hashes;
    for (const Column& column : columns) {
      if (column.input < sparse) {
        hashes.push_back(hash_values(context, column, hash, hash_bytes));
        continue;
      }
      if (strong && column.dtype != kString)
        throw invalid_argument("strong hashes are of strings, but a dense column holds ",
                               column.dtype, "; make strings of it by AsString");
      hashes.push_back(hash_values(context, column, hash, number_itself));
    }
    write_hashes(context, places, columns, hashes, nullptr, batch,
                 modulus_of(buckets.read_one(context)));
  });
}

std::string name_of(const KernelContext& context, const Column& column, int64_t value) {
  if (column.dtype == kString) return context.input<std::string>(column.input)[value];
  return std::to_string(context.input<int64_t>(column.input)[value]);
}

KernelPtr make_names(Request request, int separator) {
  return make_kernel([inputs = Columns(request), separator,
                      places = output_places(request)](KernelContext& context) {
    const std::string between =
        separator < 0 ? std::string("_X_") : *context.input<std::string>(separator);
    int64_t batch = 0;
    const std::vector<Column> columns = inputs.read(context, batch);
    const Ints starts = place_crosses(context, places, columns, batch);
    auto* to = static_cast<std::string*>(places[1].memory(context, Shape{starts.back()}));
    for_each_cross(columns, starts, [&](int64_t cross, const Ints& values) {
      std::string name;
      for (size_t c = 0; c < values.size(); ++c) {
        if (c != 0) name += between;
        name += name_of(context, columns[c], values[c]);
      }
      to[cross] = std::move(name);
    });
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
    {"SparseCrossHashed", "reference", make_cross_hashed},
};

}  // namespace

std::span<const KernelDef> reference_sparse_cross_kernels() { return kKernels; }

}  // namespace thalweg
