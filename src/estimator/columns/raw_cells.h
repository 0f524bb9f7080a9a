// Cells of a table as the tensors that stage 1 takes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "estimator/columns/transform_state.h"

namespace thalweg {

/// The table's columns in the order of the inputs. Throws as Table::column().
std::vector<const data::Column*> find_columns(const Transform::State& state, const Table& table);

/// Rows [begin, end) as a tensor of `size` elements; those beyond are missing. Throws
/// invalid_argument naming column, row (row 0 of the table is `first_row` of what the user knows)
/// and text for what is no finite number where one is wanted.
Tensor raw_cells(const FittedInput& input, const data::Column& column, int64_t begin, int64_t end,
                 int64_t first_row, int64_t size);

/// Cells that a graph could only refuse, or would pass over in silence: texts that are no dates,
/// integers outside an identity() without `otherwise`, values and weights of different number.
/// Throws invalid_argument naming column, row and text. `outside`: how many integers got
/// `otherwise`.
void check_cells(const FeatureColumn& column, const Table& table, int64_t begin, int64_t end,
                 int64_t first_row, int64_t* outside = nullptr);

/// Whether check_cells() looks at anything of it.
bool needs_check(const FeatureColumn& column);

/// Values of a list() in a cell, without blanks around and empty ones.
std::vector<std::string_view> list_cell(std::string_view cell, std::string_view separator);

}  // namespace thalweg
