// Prepared rows: tensors in memory, made once, or batches of a table that is read again and again.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "estimator/labels.h"
#include "estimator/table/table_network.h"
#include "estimator/table/table_rows.h"
#include "thalweg/base/philox.h"

namespace thalweg {
namespace {

// Rows among which a streamed epoch is shuffled, about.
constexpr int64_t kShuffledRows = 65536;
constexpr int64_t kValidationBatch = 1024;

int64_t bytes_of(const data::Example& example) {
  int64_t bytes = 0;
  for (const Tensor& tensor : example) bytes += static_cast<int64_t>(tensor.byte_size());
  return bytes;
}

/// Rows until they are too many; then nothing.
std::optional<data::Example> prepare_all(const LabelledRows& rows, const Transform& transform,
                                         int64_t most_bytes) {
  std::vector<data::Example> pieces;
  int64_t bytes = 0;
  bool is_too_much = false;
  const auto reader = rows.table->open();
  while (const std::optional<Table> piece = reader->next(kPieceRows)) {
    pieces.push_back(prepare_inputs(transform, *piece, true));
    bytes += bytes_of(pieces.back());
    // From the first piece on what all will need is known, about.
    const double share =
        static_cast<double>(rows.rows()) / static_cast<double>(pieces.size() * kPieceRows);
    is_too_much = bytes > most_bytes || (pieces.size() == 1 && static_cast<double>(bytes) * share >
                                                                   static_cast<double>(most_bytes));
    if (is_too_much) return {};
  }
  return join_prepared(transform, pieces);
}

// `from` [rows, narrow] in the first columns of [rows, width], the others `filling`.
template <class T>
void widen(const Tensor& from, int64_t width, T filling, T*& to) {
  const T* cell = from.data<T>().data();
  const int64_t narrow = from.dim(1);
  for (int64_t row = 0; row < from.dim(0); ++row, cell += narrow, to += width) {
    std::copy_n(cell, narrow, to);
    std::fill(to + narrow, to + width, filling);
  }
}

Tensor join_component(const std::vector<data::Example>& pieces, size_t component) {
  const Tensor& first = pieces[0][component];
  std::vector<int64_t> shape(first.shape().dims().begin(), first.shape().dims().end());
  shape[0] = 0;
  for (const data::Example& piece : pieces) {
    shape[0] += piece[component].dim(0);
    if (shape.size() > 1) shape[1] = std::max(shape[1], piece[component].dim(1));
  }
  Tensor result(first.dtype(), Shape(std::span<const int64_t>(shape)));
  if (shape.size() == 2 && first.dtype() == kInt64) {
    int64_t* to = result.mutable_data<int64_t>().data();
    for (const auto& piece : pieces) widen(piece[component], shape[1], int64_t{-1}, to);
    return result;
  }
  if (shape.size() == 2) {
    float* to = result.mutable_data<float>().data();
    for (const auto& piece : pieces) widen(piece[component], shape[1], 0.f, to);
    return result;
  }
  auto* to = static_cast<std::byte*>(result.mutable_raw());
  for (const data::Example& piece : pieces) {
    const Tensor& part = piece[component];
    to = std::copy_n(static_cast<const std::byte*>(part.raw()), part.byte_size(), to);
  }
  return result;
}

Tensor given_or_ones(const Tensor& weights, int64_t rows) {
  return weights.is_valid() ? weights : all_ones(rows);
}

Dataset batches_of(data::Example inputs, const LabelledRows& rows, const Tensor& weights) {
  inputs.push_back(rows.labels);
  inputs.push_back(given_or_ones(weights, rows.rows()));
  return Dataset::from_tensors(std::move(inputs));
}

std::shared_ptr<const SolverRows> solver_rows(std::optional<data::Example> inputs,
                                              const LabelledRows& rows, const Tensor& weights,
                                              int64_t most_bytes) {
  if (!inputs) {
    throw resource_exhausted("the solver needs all ", rows.rows(),
                             " rows at once, which take more than ", most_bytes >> 20,
                             " MiB; take a sample of the rows, or a model that is trained by steps "
                             "(dnn, wide and deep, linear with the solver ftrl)");
  }
  return std::make_shared<SolverRows>(SolverRows{std::move(*inputs), rows.labels, weights});
}

/// Batches of one pass over a table.
class Stream {
 public:
  Stream(std::shared_ptr<const TableSource> table, Transform transform, HeadSpec spec,
         std::shared_ptr<const Head> head, bool for_training, int64_t batch_size, uint64_t seed)
      : table_(std::move(table)),
        transform_(std::move(transform)),
        spec_(std::move(spec)),
        head_(std::move(head)),
        for_training_(for_training),
        batch_size_(batch_size),
        random_(seed),
        reader_(table_->open()) {}

  std::optional<data::Example> next() {
    if (place_ == rows_ && !read_chunk()) return {};
    const int64_t end = std::min(rows_, place_ + batch_size_);
    data::Example batch;
    for (const Tensor& component : chunk_) batch.push_back(component.rows(place_, end));
    place_ = end;
    return batch;
  }

 private:
  // Whole batches, so that only the last of the pass is shorter.
  bool read_chunk() {
    const int64_t wanted = for_training_
                               ? std::max<int64_t>(1, kShuffledRows / batch_size_) * batch_size_
                               : batch_size_;
    std::optional<Table> table;
    while (!table || table->rows() < wanted) {
      const auto piece = reader_->next(std::min(kPieceRows, wanted - (table ? table->rows() : 0)));
      if (!piece) break;
      if (table) {
        table->append(*piece);
      } else {
        table = *piece;
      }
    }
    if (!table) return false;
    rows_ = table->rows();
    place_ = 0;
    chunk_ = prepare_inputs(transform_, *table, true);
    chunk_.push_back(label_tensor(spec_, head_->label(), *table, first_row_));
    Tensor weights = weight_tensor(spec_, *table, first_row_);
    if (for_training_) weights = head_->training_weights(chunk_.back(), weights);
    chunk_.push_back(given_or_ones(weights, rows_));
    first_row_ += rows_;
    if (for_training_) shuffle();
    return true;
  }

  void shuffle() {
    std::vector<int64_t> order(static_cast<size_t>(rows_));
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    for (Tensor& component : chunk_) component = rows_at(component, order);
  }

  std::shared_ptr<const TableSource> table_;
  Transform transform_;
  HeadSpec spec_;
  std::shared_ptr<const Head> head_;
  bool for_training_;
  int64_t batch_size_;
  Philox random_;
  std::unique_ptr<data::TableReader> reader_;
  data::Example chunk_;
  int64_t rows_ = 0;
  int64_t place_ = 0;
  int64_t first_row_ = 1;
};

}  // namespace

data::Example prepare_inputs(const Transform& transform, const Table& rows, bool lenient,
                             Transform::Counts* counts) {
  if (transform.inputs().empty()) return {Tensor::zeros(kFloat32, {rows.rows()})};
  return transform.prepare(rows, counts, lenient);
}

data::Example join_prepared(const Transform& transform, const std::vector<data::Example>& pieces) {
  data::Example result;
  const size_t components = network_inputs(transform).size();
  for (size_t i = 0; i < components; ++i) result.push_back(join_component(pieces, i));
  return result;
}

FitData prepare_parts(const TableParts& parts, const Transform& transform, const HeadSpec& spec,
                      bool for_solver, int64_t batch_size, uint64_t seed,
                      const TableLimits& limits) {
  FitData data;
  const Head& head = *parts.head;
  data.training_rows = parts.training.rows();
  const LabelledRows& judged = parts.validation ? *parts.validation : parts.training;
  data.baseline = head.baseline(judged.labels, judged.weights);
  const Tensor weights = head.training_weights(parts.training.labels, parts.training.weights);
  if (parts.validation) data.validation_rows = parts.validation->rows();
  if (for_solver) {
    data.rows = solver_rows(prepare_all(parts.training, transform, limits.solver_bytes),
                            parts.training, weights, limits.solver_bytes);
    if (parts.validation) {
      data.validation =
          solver_rows(prepare_all(*parts.validation, transform, limits.solver_bytes),
                      *parts.validation, parts.validation->weights, limits.solver_bytes);
    }
    return data;
  }
  if (auto inputs = prepare_all(parts.training, transform, limits.prepared_bytes)) {
    data.batches = batches_of(std::move(*inputs), parts.training, weights)
                       .shuffle(data.training_rows, seed)
                       .batch(batch_size);
  } else {
    data.batches =
        streamed_batches(parts.training.table, transform, spec, parts.head, true, batch_size, seed);
  }
  if (!parts.validation) return data;
  if (auto inputs = prepare_all(*parts.validation, transform, limits.prepared_bytes)) {
    data.validation_batches =
        batches_of(std::move(*inputs), *parts.validation, parts.validation->weights)
            .batch(kValidationBatch);
  } else {
    data.validation_batches = streamed_batches(parts.validation->table, transform, spec, parts.head,
                                               false, kValidationBatch, seed);
  }
  return data;
}

Dataset streamed_batches(const std::shared_ptr<const TableSource>& table,
                         const Transform& transform, const HeadSpec& spec,
                         const std::shared_ptr<const Head>& head, bool for_training,
                         int64_t batch_size, uint64_t seed) {
  data::Spec components = network_inputs(transform);
  for (data::Component& each : components) each.shape = Shape{kUnknownDim}.concat(each.shape);
  components.push_back({"label", head->label_dtype(), head->label_shape(kUnknownDim)});
  components.push_back({"weight", kFloat32, {kUnknownDim}});
  return Dataset::from_generator(components, [=](int64_t epoch) -> data::Generator {
    auto stream = std::make_shared<Stream>(table, transform, spec, head, for_training, batch_size,
                                           mix_seed(seed, static_cast<uint64_t>(epoch)));
    return [stream] { return stream->next(); };
  });
}

}  // namespace thalweg
