// Labels that are one class of several: their names, and their places among them.
#pragma once

#include <string>
#include <vector>

#include "thalweg/estimator/model_record.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// Gives `label` names, when it has none, and the counts of classes. `labels` `[rows]`: integers or
/// texts. Throws invalid_argument for less than two classes, or two of one name.
void learn_classes(LabelSpec& label, const Tensor& labels);
/// Places of classes: int64 `[rows]`. Throws invalid_argument naming one that is no class.
Tensor encode_classes(const LabelSpec& label, const Tensor& labels);

/// Throws invalid_argument for less than two names, or one that stands twice.
void check_class_names(const std::vector<std::string>& names);
/// For messages: all names, or the first ones and how many there are.
std::string listed(const std::vector<std::string>& names);
/// Share of each class in training, by weight.
std::vector<double> class_shares(const LabelSpec& label);

}  // namespace thalweg
