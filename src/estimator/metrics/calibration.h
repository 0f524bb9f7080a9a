// Whether probabilities mean what they say: of the rows that are given 0.8, eight in ten should be
// of the class. Guo et al., "On Calibration of Modern Neural Networks", 2017.
#pragma once

#include <array>
#include <vector>

#include "thalweg/estimator/evaluation_report.h"

namespace thalweg {

/// Gathers rows into ten bins of equal width; one that lies on an edge falls into the lower bin.
class Calibration {
 public:
  void add(double probability, bool happened, double weight);
  std::vector<CalibrationBin> bins() const;

 private:
  static constexpr size_t kBins = 10;
  struct Sums {
    double weight = 0, probability = 0, happened = 0;
  };
  std::array<Sums, kBins> sums_ = {};
};

/// The mean over rows of |probability - frequency| of their bins; NaN without rows.
double calibration_error(const std::vector<CalibrationBin>& bins);

}  // namespace thalweg
