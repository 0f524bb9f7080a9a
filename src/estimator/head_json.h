// What is to be learnt, and what is known of the labels, as JSON of model.json.
#pragma once

#include "estimator/json_text.h"
#include "thalweg/estimator/model_record.h"

namespace thalweg {

Json from_head(const HeadSpec& spec);
/// Throws invalid_argument for what from_head() does not write.
HeadSpec to_head(const Json& json);

Json from_label(const LabelSpec& label);
LabelSpec to_label(const Json& json);

}  // namespace thalweg
