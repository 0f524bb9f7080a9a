// The idx files of MNIST and its kin, plain or gzip-compressed.
//
// Format: two zero bytes, a type byte, the rank, rank big-endian uint32 dimensions, then the
// elements, big-endian (LeCun, Cortes, Burges: "The MNIST database of handwritten digits").
#pragma once

#include <string>

#include "thalweg/data/dataset.h"

namespace thalweg::data {

/// The array in `path`; gzip is told by its first bytes, whatever the name. Errors: those of
/// read_file; invalid_argument (no idx file); data_loss (shorter or longer than the header says,
/// damaged gzip), naming the file.
Tensor read_idx_tensor(const std::string& path);

/// Examples {features: as stored, e.g. uint8[28, 28]; label: int64[]}. Throws invalid_argument when
/// the counts differ or the labels are no vector of integers.
Dataset read_idx(const std::string& images_path, const std::string& labels_path);

enum class Split { kTrain, kTest };

/// A folder in MNIST's layout: train-images-idx3-ubyte, train-labels-idx1-ubyte,
/// t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, each perhaps with ".gz". not_found lists what
/// was looked for.
Dataset read_idx_folder(const std::string& folder, Split split);

}  // namespace thalweg::data
