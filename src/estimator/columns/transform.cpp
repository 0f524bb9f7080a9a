#include "thalweg/estimator/transform.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "estimator/columns/column_scan.h"
#include "estimator/columns/raw_cells.h"
#include "estimator/columns/transform_graph.h"
#include "thalweg/base/error.h"
#include "thalweg/base/parallel.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

using Kind = ColumnKind;

// Rows that go through the graph at once: enough to forget the cost of a run, few enough for the
// caches.
constexpr int64_t kChunk = 4096;

// Fewer rows are filled up to a power of two, so that there are few plans.
int64_t padded(int64_t rows) {
  return std::min(kChunk, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(rows))));
}

void add_to(std::map<std::string, int64_t>& sums, const std::map<std::string, int64_t>& more) {
  for (const auto& [column, count] : more) sums[column] += count;
}

}  // namespace

struct Transform::State::Runner {
  // A category whose unknown values are counted.
  struct Counted {
    FeatureColumn category;
    int64_t known = 0;
    size_t input = 0;
    bool is_bag = false;
    size_t place = 0;  // among the ids, or the bags
  };

  explicit Runner(const State& state) : graph(standard_ops()), session(graph) {
    visit_columns(state.columns, [&](const FeatureColumn& column) {
      if (needs_check(column)) checked.push_back(column);
    });
    for (size_t i = 0; i < state.ids.size(); ++i) count(state, state.ids[i], false, i);
    for (size_t i = 0; i < state.bags.size(); ++i) {
      const ColumnDef& def = state.bags[i].def();
      count(state, def.kind == Kind::kWeighted ? def.category() : state.bags[i], true, i);
    }
    std::vector<Output> raw;
    for (const FittedInput& input : state.inputs) {
      raw.push_back(placeholder(graph, input.dtype, {kUnknownDim}));
    }
    std::vector<Node*> tables;
    StageGraph stage(graph, state, raw, &tables);
    std::vector<Output> fetches = stage.outputs();
    for (const FeatureColumn& bag : state.bags) {
      const FeatureColumn& several = bag.def().kind == Kind::kWeighted ? bag.def().category() : bag;
      const Kind kind = several.def().kind;
      if (kind != Kind::kText && kind != Kind::kList) continue;
      const RowValues values =
          kind == Kind::kText ? stage.words(several) : stage.list_values(several);
      fetches.push_back(values.cut);
      cut_columns.push_back(several.def().column);
    }
    if (!tables.empty()) session.run({}, {}, tables);
    prepare = session.make_callable(raw, fetches);
  }

  void count(const State& state, const FeatureColumn& category, bool is_bag, size_t place) {
    const ColumnDef& def = category.def();
    const bool learns_list = def.kind == Kind::kList && def.list.hash_buckets == 0;
    if (def.kind != Kind::kVocabulary && def.kind != Kind::kVocabularyFile && !learns_list) return;
    counted.push_back({category, static_cast<int64_t>(state.fit(category).vocabulary.size()),
                       static_cast<size_t>(state.input_index(def.column)), is_bag, place});
  }

  Graph graph;
  Session session;
  Callable prepare;
  std::vector<FeatureColumn> checked;
  std::vector<Counted> counted;
  std::vector<std::string> cut_columns;  // of the last fetches: how many values were cut, [batch]
};

const Transform::State::Runner& Transform::State::runner() const {
  std::call_once(made_runner, [&] { made = std::make_shared<const Runner>(*this); });
  return *made;
}

namespace {

// One table on its way through stage 1.
class Preparation {
 public:
  Preparation(const Transform::State& state, const Transform::State::Runner& runner,
              const Table& table, bool strict)
      : state_(state),
        runner_(runner),
        table_(table),
        strict_(strict),
        columns_(find_columns(state, table)) {}

  data::Example run(Transform::Counts* counts);

 private:
  void run_chunk(size_t chunk, int64_t begin, int64_t end);
  void count_missing(const std::vector<Tensor>& raw, int64_t rows, Transform::Counts& counts) const;
  void count_unknown(const std::vector<Tensor>& found, int64_t begin, int64_t rows,
                     Transform::Counts& counts) const;
  [[noreturn]] void unknown(const Transform::State::Runner::Counted& counted, int64_t row,
                            size_t place) const;
  Tensor side_by_side(size_t output) const;

  size_t first_bag() const {
    return static_cast<size_t>(!state_.prepared.numbers.empty()) +
           static_cast<size_t>(!state_.ids.empty());
  }

  const Transform::State& state_;
  const Transform::State::Runner& runner_;
  const Table& table_;
  bool strict_;
  std::vector<const data::Column*> columns_;
  data::Example result_;
  std::vector<char*> bases_;               // of what is there at first; each chunk writes its rows
  std::vector<std::vector<Tensor>> bags_;  // by chunk
  std::vector<Transform::Counts> counts_;
};

data::Example Preparation::run(Transform::Counts* counts) {
  const int64_t rows = table_.rows();
  const auto chunks = static_cast<size_t>((rows + kChunk - 1) / kChunk);
  if (!state_.prepared.numbers.empty()) {
    result_.emplace_back(kFloat32,
                         Shape{rows, static_cast<int64_t>(state_.prepared.numbers.size())});
  }
  if (!state_.ids.empty()) {
    result_.emplace_back(kInt64, Shape{rows, static_cast<int64_t>(state_.ids.size())});
  }
  for (Tensor& tensor : result_) bases_.push_back(static_cast<char*>(tensor.mutable_raw()));
  bags_.resize(chunks);
  counts_.resize(chunks);
  const auto run_chunks = [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      run_chunk(static_cast<size_t>(chunk), chunk * kChunk, std::min(rows, (chunk + 1) * kChunk));
    }
  };
  parallel_for(static_cast<int64_t>(chunks), 1, run_chunks);
  for (size_t i = 0; i < 2 * state_.bags.size(); ++i) result_.push_back(side_by_side(i));
  if (counts != nullptr) {
    for (const Transform::Counts& found : counts_) {
      add_to(counts->unknown, found.unknown);
      add_to(counts->missing, found.missing);
      add_to(counts->cut, found.cut);
    }
  }
  return std::move(result_);
}

void Preparation::run_chunk(size_t chunk, int64_t begin, int64_t end) {
  const int64_t rows = end - begin;
  Transform::Counts& counts = counts_[chunk];
  for (const FeatureColumn& column : runner_.checked) {
    int64_t outside = 0;
    check_cells(column, table_, begin, end, 0, &outside);
    if (outside > 0) counts.unknown[column.def().column] += outside;
  }
  std::vector<Tensor> raw;
  for (size_t i = 0; i < columns_.size(); ++i) {
    raw.push_back(raw_cells(state_.inputs[i], *columns_[i], begin, end, 0, padded(rows)));
  }
  count_missing(raw, rows, counts);
  std::vector<Tensor> found = runner_.prepare(raw);

  const size_t single = first_bag();
  for (size_t i = 0; i < single; ++i) {
    const size_t row_bytes = result_[i].byte_size() / static_cast<size_t>(table_.rows());
    std::memcpy(bases_[i] + static_cast<size_t>(begin) * row_bytes, found[i].raw(),
                static_cast<size_t>(rows) * row_bytes);
  }
  const size_t cuts = single + 2 * state_.bags.size();
  for (size_t i = single; i < cuts; ++i) bags_[chunk].push_back(found[i].rows(0, rows));
  for (size_t i = 0; i < runner_.cut_columns.size(); ++i) {
    int64_t cut = 0;
    for (const int64_t count : found[cuts + i].data<int64_t>().first(static_cast<size_t>(rows))) {
      cut += count;
    }
    if (cut > 0) counts.cut[runner_.cut_columns[i]] += cut;
  }
  count_unknown(found, begin, rows, counts);
}

void Preparation::count_missing(const std::vector<Tensor>& raw, int64_t rows,
                                Transform::Counts& counts) const {
  for (size_t i = 0; i < raw.size(); ++i) {
    int64_t missing = 0;
    const auto count = [&](auto is_missing, auto cells) {
      for (const auto& cell : cells.first(static_cast<size_t>(rows))) missing += is_missing(cell);
    };
    if (raw[i].dtype() == kString) {
      count([](const std::string& cell) { return cell.empty(); }, raw[i].data<std::string>());
    } else if (raw[i].dtype() == kFloat32) {
      count([](float x) { return x != x; }, raw[i].data<float>());
    } else {
      count([](double x) { return x != x; }, raw[i].data<double>());
    }
    if (missing > 0) counts.missing[state_.inputs[i].column] += missing;
  }
}

void Preparation::count_unknown(const std::vector<Tensor>& found, int64_t begin, int64_t rows,
                                Transform::Counts& counts) const {
  const size_t single = first_bag();
  for (const auto& counted : runner_.counted) {
    const Tensor& ids = found[counted.is_bag ? single + 2 * counted.place : single - 1];
    const int64_t stride = ids.dim(1);
    const int64_t several = counted.is_bag ? stride : 1;
    const auto first = ids.data<int64_t>().subspan(counted.is_bag ? 0 : counted.place);
    const data::Column& column = *columns_[counted.input];
    int64_t count = 0;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t k = 0; k < several; ++k) {
        const int64_t id = first[static_cast<size_t>(row * stride + k)];
        if (id >= 0 && id < counted.known) continue;
        // Without buckets for others only the cell tells what is missing. Of lists nothing is.
        const bool is_list = counted.category.def().kind == Kind::kList;
        if (id < 0 && (is_list || is_missing_cell(column, begin + row))) continue;
        if (strict_) unknown(counted, begin + row, static_cast<size_t>(k));
        ++count;
      }
    }
    if (count > 0) counts.unknown[column.name()] += count;
  }
}

void Preparation::unknown(const Transform::State::Runner::Counted& counted, int64_t row,
                          size_t place) const {
  const ColumnDef& def = counted.category.def();
  const std::string cell = columns_[counted.input]->cell(row);
  std::string value = cell;
  if (def.kind == Kind::kList) {
    const auto values = list_cell(cell, def.list.separator);
    if (place < values.size()) value = values[place];
  }
  throw invalid_argument("column ", shown(def.column), ", row ", row + 1, ": the value ",
                         shown(value), " is none of the ", counted.known,
                         " that are known; without `strict` it would count as another one");
}

// The chunks of a bag's ids or weights below each other, as wide as the widest.
Tensor Preparation::side_by_side(size_t output) const {
  const bool is_ids = output % 2 == 0;
  int64_t width = 1;
  for (const auto& chunk : bags_) width = std::max(width, chunk[output].dim(1));
  Tensor result(is_ids ? kInt64 : kFloat32, {table_.rows(), width});
  const auto fill = [&]<class T>(T nothing) {
    auto out = result.mutable_data<T>().data();
    for (const auto& chunk : bags_) {
      const T* from = chunk[output].template data<T>().data();
      const int64_t narrow = chunk[output].dim(1);
      for (int64_t row = 0; row < chunk[output].dim(0); ++row, out += width, from += narrow) {
        std::fill(std::copy(from, from + narrow, out), out + width, nothing);
      }
    }
  };
  if (is_ids) {
    fill(int64_t{-1});
  } else {
    fill(0.0f);
  }
  return result;
}

}  // namespace

const std::vector<RawInput>& Transform::inputs() const { return state_->raw; }
const PreparedSpec& Transform::prepared() const { return state_->prepared; }
const std::vector<ColumnFacts>& Transform::facts() const { return state_->facts; }
const std::vector<FeatureColumn>& Transform::columns() const { return state_->columns; }

std::map<std::string, data::ColumnType> Transform::types() const {
  std::map<std::string, data::ColumnType> types;
  for (const FittedInput& input : state_->inputs) types[input.column] = input.type;
  return types;
}

std::vector<Output> Transform::build(Graph& graph, const std::vector<Output>& raw,
                                     std::vector<Node*>* initializers) const {
  const NameScope scope(graph, "transform");
  return StageGraph(graph, *state_, raw, initializers).outputs();
}

std::vector<Tensor> Transform::raw(const Table& table) const {
  const auto columns = find_columns(*state_, table);
  const int64_t rows = table.rows();
  for (const FeatureColumn& column : state_->runner().checked) {
    check_cells(column, table, 0, rows, 0);
  }
  std::vector<Tensor> result;
  for (size_t i = 0; i < columns.size(); ++i) {
    result.push_back(raw_cells(state_->inputs[i], *columns[i], 0, rows, 0, rows));
  }
  return result;
}

data::Example Transform::prepare(const Table& table, Counts* counts, bool lenient) const {
  return Preparation(*state_, state_->runner(), table, state_->options.strict && !lenient)
      .run(counts);
}

}  // namespace thalweg
