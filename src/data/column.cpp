#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/cell_numbers.h"
#include "thalweg/base/error.h"
#include "thalweg/data/table.h"

namespace thalweg::data {
namespace {

constexpr std::array<std::string_view, 3> kTypeNames = {"integer", "real", "text"};

template <class T>
std::vector<T> slice(const std::vector<T>& cells, int64_t begin, int64_t end) {
  return {cells.begin() + begin, cells.begin() + end};
}
Texts slice(const Texts& cells, int64_t begin, int64_t end) {
  Texts result;
  result.append(cells, begin, end);
  return result;
}

template <class T>
std::vector<T> gather(const std::vector<T>& cells, std::span<const int64_t> indices) {
  std::vector<T> result;
  result.reserve(indices.size());
  for (const int64_t i : indices) result.push_back(cells[static_cast<size_t>(i)]);
  return result;
}
Texts gather(const Texts& cells, std::span<const int64_t> indices) {
  int64_t bytes = 0;
  for (const int64_t i : indices) bytes += static_cast<int64_t>(cells[i].size());
  Texts result;
  result.reserve(static_cast<int64_t>(indices.size()), bytes);
  for (const int64_t i : indices) result.add(cells[i]);
  return result;
}

void join_cells(Texts& to, const Texts& from) { to.append(from); }
template <class T>
void join_cells(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::string_view to_string(ColumnType type) { return kTypeNames[static_cast<size_t>(type)]; }

ColumnType parse_column_type(std::string_view name) {
  const auto found = std::ranges::find(kTypeNames, name);
  if (found != kTypeNames.end()) return static_cast<ColumnType>(found - kTypeNames.begin());
  throw invalid_argument("there is no type of columns '", name,
                         "'; the types are integer, real and text");
}

void Texts::reserve(int64_t texts, int64_t bytes) {
  ends_.reserve(static_cast<size_t>(texts));
  bytes_.reserve(static_cast<size_t>(bytes));
}

void Texts::add(std::string_view text) {
  bytes_.append(text);
  ends_.push_back(bytes_.size());
}

void Texts::append(const Texts& other) { append(other, 0, other.size()); }

void Texts::append(const Texts& other, int64_t begin, int64_t end) {
  if (begin == end) return;
  const uint64_t first = begin == 0 ? 0 : other.ends_[static_cast<size_t>(begin) - 1];
  const uint64_t last = other.ends_[static_cast<size_t>(end) - 1];
  const uint64_t base = bytes_.size();
  const size_t before = ends_.size();
  ends_.resize(before + static_cast<size_t>(end - begin));
  for (int64_t i = begin; i < end; ++i) {
    ends_[before + static_cast<size_t>(i - begin)] =
        other.ends_[static_cast<size_t>(i)] - first + base;
  }
  bytes_.append(other.bytes_, first, last - first);
}

void Texts::append(std::string_view bytes, std::span<const uint64_t> ends) {
  const uint64_t base = bytes_.size();
  bytes_.append(bytes);
  const size_t before = ends_.size();
  ends_.resize(before + ends.size());
  for (size_t i = 0; i < ends.size(); ++i) ends_[before + i] = base + ends[i];
}

Column::Column(std::string name, std::vector<int64_t> cells, std::vector<uint8_t> missing)
    : name_(std::move(name)), cells_(std::move(cells)), missing_(std::move(missing)) {
  settle_missing();
}

Column::Column(std::string name, std::vector<double> cells, std::vector<uint8_t> missing)
    : name_(std::move(name)), missing_(std::move(missing)) {
  if (missing_.empty() && std::ranges::any_of(cells, [](double x) { return std::isnan(x); })) {
    missing_.resize(cells.size());
    std::ranges::transform(cells, missing_.begin(),
                           [](double x) { return static_cast<uint8_t>(std::isnan(x)); });
  }
  cells_ = std::move(cells);
  settle_missing();
}

Column::Column(std::string name, Texts cells, std::vector<uint8_t> missing)
    : name_(std::move(name)), cells_(std::move(cells)), missing_(std::move(missing)) {
  settle_missing();
}

Column::Column(std::string name, const std::vector<std::string>& cells) : name_(std::move(name)) {
  Texts texts;
  for (const std::string& cell : cells) texts.add(cell);
  cells_ = std::move(texts);
}

void Column::settle_missing() {
  THALWEG_CHECK(missing_.empty() || static_cast<int64_t>(missing_.size()) == size(), "column '",
                name_, "' has ", size(), " cells and ", missing_.size(), " flags");
  if (std::ranges::all_of(missing_, [](uint8_t flag) { return flag == 0; })) missing_.clear();
}

int64_t Column::size() const {
  return std::visit([](const auto& cells) { return static_cast<int64_t>(cells.size()); }, cells_);
}

std::span<const int64_t> Column::integers() const {
  THALWEG_CHECK(type() == ColumnType::kInteger, "column '", name_, "' is ", type());
  return std::get<0>(cells_);
}

std::span<const double> Column::reals() const {
  THALWEG_CHECK(type() == ColumnType::kReal, "column '", name_, "' is ", type());
  return std::get<1>(cells_);
}

const Texts& Column::texts() const {
  THALWEG_CHECK(type() == ColumnType::kText, "column '", name_, "' is ", type());
  return std::get<2>(cells_);
}

int64_t Column::missing_count() const {
  return std::ranges::count_if(missing_, [](uint8_t flag) { return flag != 0; });
}

std::string Column::cell(int64_t row) const {
  if (is_missing(row)) return {};
  const auto place = static_cast<size_t>(row);
  switch (type()) {
    case ColumnType::kInteger: return str(std::get<0>(cells_)[place]);
    case ColumnType::kReal: return str(std::get<1>(cells_)[place]);
    case ColumnType::kText: break;
  }
  return std::string(std::get<2>(cells_)[row]);
}

double Column::number(int64_t row) const {
  if (is_missing(row)) return std::numeric_limits<double>::quiet_NaN();
  const auto place = static_cast<size_t>(row);
  switch (type()) {
    case ColumnType::kInteger: return static_cast<double>(std::get<0>(cells_)[place]);
    case ColumnType::kReal: return std::get<1>(cells_)[place];
    case ColumnType::kText: break;
  }
  const std::string_view text = std::get<2>(cells_)[row];
  double value = 0;
  if (lenient_real(text, '.', value)) return value;
  throw invalid_argument("column '", name_, "' holds ", quoted(text), " in row ", row + 1,
                         ", expected a number");
}

Column Column::renamed(std::string name) const {
  Column result = *this;
  result.name_ = std::move(name);
  return result;
}

Column Column::rows(int64_t begin, int64_t end) const {
  if (begin < 0 || end < begin || end > size()) {
    throw out_of_range("rows ", begin, " to ", end, " of column '", name_, "', which has ", size());
  }
  return std::visit(
      [&](const auto& cells) {
        return Column(name_, slice(cells, begin, end),
                      missing_.empty() ? std::vector<uint8_t>() : slice(missing_, begin, end));
      },
      cells_);
}

Column Column::rows(std::span<const int64_t> indices) const {
  for (const int64_t i : indices) {
    if (i < 0 || i >= size())
      throw out_of_range("row ", i, " of column '", name_, "', which has ", size());
  }
  return std::visit(
      [&](const auto& cells) {
        return Column(name_, gather(cells, indices),
                      missing_.empty() ? std::vector<uint8_t>() : gather(missing_, indices));
      },
      cells_);
}

void Column::append(const Column& other) {
  if (other.info() != info()) {
    throw invalid_argument("cannot put column '", other.name_, "' (", other.type(),
                           ") behind column '", name_, "' (", type(), ")");
  }
  if (!missing_.empty() || !other.missing_.empty()) {
    missing_.resize(static_cast<size_t>(size()));
    if (other.missing_.empty()) {
      missing_.resize(static_cast<size_t>(size() + other.size()));
    } else {
      join_cells(missing_, other.missing_);
    }
  }
  std::visit(
      [&](auto& cells) {
        join_cells(cells, std::get<std::remove_cvref_t<decltype(cells)>>(other.cells_));
      },
      cells_);
}

}  // namespace thalweg::data
