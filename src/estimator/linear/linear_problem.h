// A linear model of feature columns under a head, as its solvers see it.
#pragma once

#include <vector>

#include "estimator/head.h"
#include "estimator/linear/linear_solvers.h"
#include "thalweg/estimator/heads.h"

namespace thalweg::linear {

/// The terms of linear_model(transform, columns, ...) (feature_network.h), in its order. Throws
/// invalid_argument for an embedding.
std::vector<Term> linear_terms(const Transform& transform,
                               const std::vector<FeatureColumn>& columns);

/// What Head::loss minimises; `head` has learnt its labels. Throws unimplemented for several heads.
LinearLoss linear_loss(const HeadSpec& spec, const Head& head);

}  // namespace thalweg::linear
