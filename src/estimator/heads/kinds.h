// The kinds of heads, one file each; make_head() chooses.
#pragma once

#include <memory>

#include "estimator/head.h"
#include "thalweg/estimator/heads.h"

namespace thalweg {

/// Two classes have one logit.
std::unique_ptr<Head> make_classification_head(const HeadSpec& spec, LabelSpec label);
std::unique_ptr<Head> make_multi_label_head(const HeadSpec& spec, LabelSpec label);
std::unique_ptr<Head> make_regression_head(const HeadSpec& spec, LabelSpec label);
std::unique_ptr<Head> make_poisson_head(const HeadSpec& spec, LabelSpec label);
std::unique_ptr<Head> make_quantile_head(const HeadSpec& spec, LabelSpec label);
std::unique_ptr<Head> make_multi_head(const HeadSpec& spec, LabelSpec label);

}  // namespace thalweg
