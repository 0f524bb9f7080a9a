#include "estimator/metrics/calibration.h"

#include <cmath>
#include <limits>

namespace thalweg {

void Calibration::add(double probability, bool happened, double weight) {
  size_t bin = 0;
  // As float32, which probabilities are: so 0.1f lies on the edge.
  const auto p = static_cast<float>(probability);
  while (bin + 1 < kBins && p > static_cast<float>(bin + 1) / kBins) ++bin;
  sums_[bin].weight += weight;
  sums_[bin].probability += weight * probability;
  sums_[bin].happened += happened ? weight : 0;
}

std::vector<CalibrationBin> Calibration::bins() const {
  std::vector<CalibrationBin> bins;
  for (size_t i = 0; i < kBins; ++i) {
    const Sums& sums = sums_[i];
    bins.push_back({.low = static_cast<double>(i) / kBins,
                    .high = static_cast<double>(i + 1) / kBins,
                    .weight = sums.weight,
                    .probability = sums.probability / sums.weight,
                    .frequency = sums.happened / sums.weight});
  }
  return bins;
}

double calibration_error(const std::vector<CalibrationBin>& bins) {
  double sum = 0, weight = 0;
  for (const CalibrationBin& bin : bins) {
    if (bin.weight > 0) sum += bin.weight * std::abs(bin.probability - bin.frequency);
    weight += bin.weight;
  }
  return weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace thalweg
