#include "estimator/fit_data.h"

#include <algorithm>

#include "thalweg/base/crc32c.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

// Elements that a shuffle of data without random access holds.
constexpr int64_t kShuffleBuffer = 10000;

void check_components(const data::Spec& spec) {
  if (spec.size() == 2) return;
  throw invalid_argument("the data have ", spec.size(), " components (", data::to_string(spec),
                         "), expected two: features and label");
}

data::MapFunction encoder(const Head& head) {
  // The head may be replaced by a later fit() while batches of this one are still read.
  const std::shared_ptr<const Head> own = head.clone();
  return {[own](data::Example batch) {
            batch[1] = own->encode(batch[1]);
            return batch;
          },
          [own](const data::Spec& spec) {
            data::Spec result = spec;
            result[1].dtype = own->label_dtype();
            result[1].shape = own->label_shape(kUnknownDim);
            return result;
          }};
}

Tensor stacked(const Dataset& data, int component, int64_t rows) {
  const Tensor all = data.component(component);
  if (all.dim(0) == 0 || rows == 0) throw invalid_argument("the data have no rows");
  return all;
}

std::string hex(uint64_t value) {
  std::string digits(16, '0');
  for (size_t i = 16; i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

}  // namespace

Tensor rows_at(const Tensor& numbers, const std::vector<int64_t>& rows) {
  std::vector<int64_t> shape(numbers.shape().dims().begin(), numbers.shape().dims().end());
  const auto size = numbers.dim(0) == 0 ? 0 : numbers.byte_size() / static_cast<size_t>(shape[0]);
  shape[0] = static_cast<int64_t>(rows.size());
  Tensor result(numbers.dtype(), Shape(std::span<const int64_t>(shape)));
  const auto* from = static_cast<const std::byte*>(numbers.raw());
  auto* to = static_cast<std::byte*>(result.mutable_raw());
  for (const int64_t row : rows) {
    to = std::copy_n(from + static_cast<size_t>(row) * size, size, to);
  }
  return result;
}

std::string fingerprint_text(uint64_t contents, const std::vector<std::string>& columns,
                             const LabelSpec& label) {
  std::string names;
  const auto add = [&](const std::string& name) { append(names, str(name.size(), ":", name)); };
  for (const std::string& column : columns) add(column);
  append(names, str("/", label.by_name, "/"));
  add(label.column);
  for (const std::string& name : label.class_names) add(name);
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;  // from 32 bits over all 64
  return hex(contents ^ crc32c(names) * kSpread);
}

Dataset encoded_batches(const Dataset& data, int64_t batch_size, const Head& head) {
  return data.batch(batch_size).map(encoder(head));
}

void check_evaluation_data(const Dataset& data, const InputSpec& input) {
  const data::Spec spec = data.spec();
  check_components(spec);
  if (spec[0].dtype == input.dtype && spec[0].shape.is_compatible_with(input.shape)) return;
  throw invalid_argument("features '", spec[0].name, "' are ", spec[0].dtype, spec[0].shape,
                         ", but the model takes ", input.dtype, input.shape);
}

TensorData prepare_tensors(const Dataset& data, const TensorSettings& settings, Head& head) {
  const data::Spec spec = data.spec();
  check_components(spec);
  if (data.is_infinite()) {
    throw invalid_argument("the data have no end, so there are no epochs; call take() first");
  }
  TensorData all{.input = InputSpec::of(spec[0]), .data = {}};
  InputSpec& input = all.input;
  FitData& result = all.data;
  input.columns = settings.columns;

  const Tensor labels = stacked(data, 1, data.size().value_or(1));
  head.learn_labels(labels);
  const Tensor encoded = head.encode(labels);
  const int64_t rows = encoded.dim(0);
  result.fingerprint = fingerprint_text(data.fingerprint(), settings.columns, head.label());

  Dataset training = data;
  std::optional<Dataset> validation = settings.validation;
  Tensor training_labels = encoded;
  Tensor validation_labels;
  if (validation) {
    check_evaluation_data(*validation, input);
    result.validation_fingerprint =
        fingerprint_text(validation->fingerprint(), settings.columns, head.label());
    validation_labels = head.encode(stacked(*validation, 1, validation->size().value_or(1)));
  } else if (settings.validation_split != 0) {
    const data::RowSplit split = head.split(encoded, settings.validation_split, settings.seed);
    if (!split.validation.empty() && !data.has_random_access()) {
      throw invalid_argument(
          "rows for validation cannot be taken out of data without random access; give a "
          "validation data set, or set validation_split to 0");
    }
    if (!split.validation.empty()) {
      training = data.select(split.training);
      validation = data.select(split.validation);
      training_labels = rows_at(encoded, split.training);
      validation_labels = rows_at(encoded, split.validation);
    }
  }
  result.training_rows = training_labels.dim(0);
  head.learn_training_labels(training_labels, {});
  if (settings.standardize) input.standardize(training.component(0));
  if (validation) {
    result.validation_rows = validation_labels.dim(0);
    result.validation_batches = encoded_batches(*validation, settings.batch_size, head);
  }
  result.baseline = head.baseline(validation ? validation_labels : training_labels, {});
  const int64_t buffer = training.has_random_access() ? rows : std::min(rows, kShuffleBuffer);
  result.batches =
      encoded_batches(training.shuffle(buffer, settings.seed), settings.batch_size, head);
  return all;
}

}  // namespace thalweg
