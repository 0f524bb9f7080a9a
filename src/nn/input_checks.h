// What layers ask of their inputs and options, with errors that say how to set it right.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

void require_floating(const Output& x);
/// `[batch, ..., features]`: rank 2 or more, last dimension known. Returns the last dimension.
int64_t require_features(const Output& x);
/// `[batch, height, width, channels]`, channels known. Returns the channels.
int64_t require_image(const Output& x);
/// That dimension `axis` of `x` is `size`, for which `variable` was made.
void require_built_for(const Output& x, int axis, int64_t size, const Output& variable);

/// Of options: at least 1.
void require_positive(std::string_view option, int64_t value);
/// {height, width}, each at least 1; one number stands for both.
std::vector<int64_t> require_window(std::string_view option, std::vector<int64_t> value);
/// "SAME" or "VALID".
void require_padding(std::string_view padding);

/// `x` under a shape whose first dimensions are those of `like` but its last `dropped` ones,
/// followed by `tail`. Works with any number of unknown dimensions.
Output reshape_like(const Output& x, const Output& like, int dropped, std::vector<int64_t> tail);

}  // namespace thalweg
