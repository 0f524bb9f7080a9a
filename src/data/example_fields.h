// tf.train.Example messages read straight from their bytes, for tables: features of one value.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/row_source.h"

namespace thalweg::data {

struct ExampleFeature {
  std::string_view name;
  int64_t values = 0;
  CellValue first;  // missing when there are no values
};

/// The features of `message`, which they borrow. Throws data_loss for what is no Example.
void parse_example(std::string_view message, std::vector<ExampleFeature>& features);

}  // namespace thalweg::data
