#include "ops/string_shapes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ops/known_values.h"

namespace thalweg {

void string_join_shape(ShapeContext& c) {
  Shape joined;
  bool any_unknown = false;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).has_rank()) {
      any_unknown = true;
    } else if (c.input(i).rank() > 0) {
      if (joined.rank() > 0 && !joined.is_compatible_with(c.input(i))) {
        throw c.error("inputs must be scalars or of one shape, got ", joined, " and ", c.input(i));
      }
      joined = joined.rank() > 0 ? joined.merge(c.input(i)) : c.input(i);
    }
  }
  c.set_output(0, any_unknown && joined.rank() == 0 ? Shape::unknown() : joined);
}

void string_segment_join_shape(ShapeContext& c) {
  const Shape& x = c.input(0);
  const Shape& ids = c.input(1);
  if (c.input(2).has_rank()) c.with_rank(2, 0);
  if (!x.has_rank() || !ids.has_rank()) return c.set_output(0, Shape::unknown());
  if (ids.rank() > x.rank() || !ids.is_compatible_with(x.slice(0, ids.rank()))) {
    throw c.error("segment_ids have shape ", ids, ", which is no prefix of the inputs' ", x);
  }
  const auto segments = known_scalar(c, 2);
  c.set_output(0, Shape{segments.value_or(kUnknownDim)}.concat(x.slice(ids.rank())));
}

void string_split_shape(ShapeContext& c) {
  if (c.input(1).has_rank()) c.with_rank(1, 0);
  c.with_rank(0, 1);
  c.set_output(0, Shape{kUnknownDim, 2});
  c.set_output(1, Shape{kUnknownDim});
  c.set_output(2, Shape{2});
}

void substr_shape(ShapeContext& c) {
  const Shape& pos = c.input(1);
  if (!pos.is_compatible_with(c.input(2))) {
    throw c.error("pos has shape ", pos, ", len ", c.input(2), "; they must be one shape");
  }
  const bool known = c.input(0).has_rank() && pos.has_rank();
  if (known && !can_broadcast(c.input(0), pos)) {
    throw c.error("pos of shape ", pos, " does not broadcast with the input's ", c.input(0));
  }
  c.set_output(0, known ? broadcast(c.input(0), pos) : Shape::unknown());
}

void strings_of_utf8_shape(ShapeContext& c) {
  const auto& encoding = c.attr<std::string>("encoding");
  if (!encoding.empty() && encoding != "utf-8") {
    throw c.error("attribute `encoding` is 'utf-8' or '' (bytes), got '", encoding, "'");
  }
  shape_functions::same_as_input(c);
}

void string_pattern_shape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.input(i).has_rank()) c.with_rank(i, 0);
  }
  shape_functions::same_as_input(c);
}

void strong_hash_shape(ShapeContext& c) {
  const auto& key = c.attr<std::vector<int64_t>>("key");
  if (key.size() != 2) throw c.error("attribute `key` has two numbers, got ", key);
  shape_functions::same_as_input(c);
}

void string_ngrams_shape(ShapeContext& c) {
  c.with_rank(0, 1);
  for (int64_t width : c.attr<std::vector<int64_t>>("ngram_widths")) {
    if (width < 1) throw c.error("attribute `ngram_widths` holds ", width, "; widths are positive");
  }
  c.set_output(0, Shape{kUnknownDim});
  c.set_output(1, c.with_rank(1, 1));
}

void fingerprint_shape(ShapeContext& c) {
  const Shape data = c.with_rank_at_least(0, 1);
  if (c.input(1).has_rank()) c.with_rank(1, 0);
  c.set_output(0, Shape{data.has_rank() ? data[0] : kUnknownDim, 8});
}

// The shape that a constant `shape` vector of a sparse tensor gives, without its last dimension.
void edit_distance_shape(ShapeContext& c) {
  for (int i : {0, 3}) c.with_rank(i, 2);
  for (int i : {1, 2, 4, 5}) c.with_rank(i, 1);
  const auto hypothesis = known_values(c.node(), 2);
  const auto truth = known_values(c.node(), 5);
  if (!hypothesis || !truth) {
    const Shape& size = c.input(2).is_fully_defined() ? c.input(2) : c.input(5);
    const bool known = size.is_fully_defined() && size[0] >= 1 && size[0] <= Shape::kMaxRank;
    return c.set_output(
        0, known ? Shape::unknown_of_rank(static_cast<int>(size[0]) - 1) : Shape::unknown());
  }
  if (hypothesis->size() != truth->size() || truth->size() < 2) {
    throw c.error("the shapes of hypothesis and truth need one rank of at least 2, got ",
                  *hypothesis, " and ", *truth);
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i + 1 < truth->size(); ++i)
    dims.push_back(std::max((*hypothesis)[i], (*truth)[i]));
  c.set_output(0, Shape(dims));
}

}  // namespace thalweg
