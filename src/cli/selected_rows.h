// Some of a table's rows as a table: its training rows, its validation rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "thalweg/data/table_source.h"

namespace thalweg::cli {

/// To which part each row of a table belongs.
enum class Part : uint8_t { kLeftOut, kTraining, kValidation };
using RowParts = std::shared_ptr<const std::vector<Part>>;

/// The rows of `part`, in their order, read as they are asked for.
std::shared_ptr<const data::TableSource> select_rows(std::shared_ptr<const data::TableSource> all,
                                                     RowParts parts, Part part);

}  // namespace thalweg::cli
