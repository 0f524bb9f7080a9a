// How each type of layer is made from its config; make_layer() holds the table.
#pragma once

#include "thalweg/nn/layer.h"

namespace thalweg {

Layer activation_from_config(const AttrMap& config);
Layer avg_pool2d_from_config(const AttrMap& config);
Layer batch_norm_from_config(const AttrMap& config);
Layer conv2d_from_config(const AttrMap& config);
Layer dense_from_config(const AttrMap& config);
Layer depthwise_conv2d_from_config(const AttrMap& config);
Layer dropout_from_config(const AttrMap& config);
Layer embedding_from_config(const AttrMap& config);
Layer flatten_from_config(const AttrMap& config);
Layer global_avg_pool2d_from_config(const AttrMap& config);
Layer max_pool2d_from_config(const AttrMap& config);
Layer reshape_from_config(const AttrMap& config);

}  // namespace thalweg
