#include "estimator/trees/xgboost_library.h"

#include "thalweg/base/error.h"
#include "thalweg/base/parallel.h"

namespace thalweg::xgboost {
namespace {

// NumPy's __array_interface__ of row-major float32.
std::string array_interface(const float* data, int64_t rows, int64_t columns) {
  return str("{\"data\": [", reinterpret_cast<uintptr_t>(data), ", true], \"shape\": [", rows, ", ",
             columns, "], \"typestr\": \"<f4\", \"version\": 3}");
}

void set_info(DMatrixHandle matrix, const char* field, const std::vector<float>& values,
              int64_t columns) {
  const int64_t rows = static_cast<int64_t>(values.size()) / columns;
  check(XGDMatrixSetInfoFromInterface(matrix, field,
                                      array_interface(values.data(), rows, columns).c_str()),
        field);
}

}  // namespace

void check(int status, const char* call) {
  if (status != 0) throw internal_error("XGBoost refuses ", call, ": ", XGBGetLastError());
}

Matrix::Matrix(const CheckedRows& rows, const std::vector<float>& base, int64_t label_width) {
  const std::string config = str("{\"missing\": NaN, \"nthread\": ", num_threads(), "}");
  check(XGDMatrixCreateFromDense(array_interface(rows.features, rows.rows, rows.columns).c_str(),
                                 config.c_str(), &handle_),
        "the features");
  const int64_t outputs = static_cast<int64_t>(base.size());
  std::vector<float> labels = rows.labels;
  if (label_width > rows.label_width) {
    labels.resize(static_cast<size_t>(rows.rows * label_width));
    for (size_t i = 0; i < labels.size(); ++i) {
      labels[i] = rows.labels[i / static_cast<size_t>(label_width)];
    }
  }
  set_info(handle_, "label", labels, label_width);
  check(XGDMatrixSetFloatInfo(handle_, "weight", rows.weights.data(), rows.weights.size()),
        "the weights");
  std::vector<float> margins;
  margins.reserve(static_cast<size_t>(rows.rows * outputs));
  for (int64_t i = 0; i < rows.rows; ++i) margins.insert(margins.end(), base.begin(), base.end());
  set_info(handle_, "base_margin", margins, outputs);
}

Booster::Booster(const std::vector<const Matrix*>& matrices) {
  std::vector<DMatrixHandle> handles;
  for (const Matrix* matrix : matrices) handles.push_back(matrix->handle());
  check(XGBoosterCreate(handles.data(), handles.size(), &handle_), "a booster");
}

void Booster::set(const char* name, const std::string& value) {
  check(XGBoosterSetParam(handle_, name, value.c_str()), name);
}

void Booster::boost(int round, const Matrix& training) {
  check(XGBoosterUpdateOneIter(handle_, round, training.handle()), "a round of boosting");
}

void Booster::boost(const Matrix& training, std::vector<float>& gradients,
                    std::vector<float>& hessians) {
  check(XGBoosterBoostOneIter(handle_, training.handle(), gradients.data(), hessians.data(),
                              gradients.size()),
        "a round of boosting");
}

const float* Booster::margins(const Matrix& rows) const {
  constexpr char kConfig[] =
      "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, "
      "\"strict_shape\": true}";
  const bst_ulong* shape = nullptr;
  bst_ulong rank = 0;
  const float* result = nullptr;
  check(XGBoosterPredictFromDMatrix(handle_, rows.handle(), kConfig, &shape, &rank, &result),
        "a prediction");
  return result;
}

std::vector<int32_t> Booster::leaves(const Matrix& rows) const {
  constexpr char kConfig[] =
      "{\"type\": 6, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, "
      "\"strict_shape\": false}";
  const bst_ulong* shape = nullptr;
  bst_ulong rank = 0;
  const float* result = nullptr;
  check(XGBoosterPredictFromDMatrix(handle_, rows.handle(), kConfig, &shape, &rank, &result),
        "a prediction of leaves");
  bst_ulong count = 1;
  for (bst_ulong i = 0; i < rank; ++i) count *= shape[i];
  std::vector<int32_t> leaves(count);
  for (bst_ulong i = 0; i < count; ++i) leaves[i] = static_cast<int32_t>(result[i]);
  return leaves;
}

std::string Booster::model() const {
  bst_ulong length = 0;
  const char* bytes = nullptr;
  check(XGBoosterSaveModelToBuffer(handle_, "{\"format\": \"ubj\"}", &length, &bytes), "saving");
  return std::string(bytes, length);
}

}  // namespace thalweg::xgboost
