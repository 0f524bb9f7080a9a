#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elements.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

// Intersection over union of boxes {y1, x1, y2, x2}, whose corners may come in any order.
float overlap(const float* a, const float* b) {
  const auto low = [](const float* box, int i) { return std::min(box[i], box[i + 2]); };
  const auto high = [](const float* box, int i) { return std::max(box[i], box[i + 2]); };
  const auto area = [&](const float* box) {
    return (high(box, 0) - low(box, 0)) * (high(box, 1) - low(box, 1));
  };
  const float area_a = area(a), area_b = area(b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const auto common = [&](int i) {
    return std::max(std::min(high(a, i), high(b, i)) - std::max(low(a, i), low(b, i)), 0.0f);
  };
  const float both = common(0) * common(1);
  return both / (area_a + area_b - both);
}

struct Thresholds {
  float overlap;
  float score = std::numeric_limits<float>::lowest();
  float sigma = 0;  // above 0: soft suppression

  void check() const {
    if (!(overlap >= 0 && overlap <= 1)) {
      throw invalid_argument("the overlap threshold must be in [0, 1], got ", overlap);
    }
  }
};

struct Selection {
  std::vector<int32_t> boxes;
  std::vector<float> scores;
};

// A box waiting its turn; it has been held against the first `seen` of those selected.
struct Candidate {
  int32_t box;
  float score;
  size_t seen;
  bool operator<(const Candidate& other) const {
    return score != other.score ? score < other.score : box > other.box;
  }
};

// At most `most` boxes, best first.
template <class Overlap>
Selection suppress(const std::vector<float>& scores, int64_t most, const Thresholds& t,
                   Overlap overlap_of) {
  t.check();
  if (most < 0) throw invalid_argument("max_output_size must not be negative, got ", most);
  std::priority_queue<Candidate> waiting;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > t.score) waiting.push({static_cast<int32_t>(i), scores[i], 0});
  }
  Selection selected;
  while (static_cast<int64_t>(selected.boxes.size()) < most && !waiting.empty()) {
    Candidate next = waiting.top();
    waiting.pop();
    const float before = next.score;
    bool is_dropped = false;
    // Those selected last have scores like this one's, and are the likeliest to overlap it.
    for (size_t j = selected.boxes.size(); j-- > next.seen && !is_dropped;) {
      const float similarity = overlap_of(next.box, selected.boxes[j]);
      if (t.sigma > 0) {
        next.score *= std::exp(-0.5f / t.sigma * similarity * similarity);
        if (next.score <= t.score) break;
      } else {
        is_dropped = similarity > t.overlap;
      }
    }
    next.seen = selected.boxes.size();
    if (is_dropped) continue;
    if (next.score == before) {
      selected.boxes.push_back(next.box);
      selected.scores.push_back(next.score);
    } else if (next.score > t.score) {
      waiting.push(next);  // it may no longer be the best
    }
  }
  return selected;
}

// An input of floating type as floats.
class FloatsInput {
 public:
  FloatsInput(const KernelRequest& request, int input)
      : input_(input),
        dtype_(request.inputs[static_cast<size_t>(input)].dtype),
        count_(request.inputs[static_cast<size_t>(input)].shape.num_elements()) {}
  std::vector<float> read(const KernelContext& context) const {
    std::vector<float> values(static_cast<size_t>(count_));
    convert_elements(dtype_, context.input_pointer(input_), kFloat32, values.data(), count_);
    return values;
  }

 private:
  int input_;
  DType dtype_;
  int64_t count_;
};

// Hands over `values` as output `i`, with zeros up to `size`.
template <class T>
void give(KernelContext& context, const reference::OutputPlace& place, DType dtype,
          std::vector<T> values, size_t size) {
  values.resize(std::max(values.size(), size));
  const auto count = static_cast<int64_t>(values.size());
  convert_elements(kDTypeOf<T>, values.data(), dtype, place.memory(context, Shape{count}), count);
}

// All versions: thresholds are the inputs after the third, as far as there are any.
template <bool kIsOverlaps>
KernelPtr make_suppression(const KernelRequest& request) {
  if (!is_floating(request.inputs[0].dtype)) return nullptr;
  const size_t outputs = request.outputs.size();
  const AttrValue* fixed = request.node.find_attr("iou_threshold");
  const AttrValue* pad = request.node.find_attr("pad_to_max_output_size");
  std::vector<FloatsInput> thresholds;
  for (size_t i = 3; i < request.inputs.size(); ++i) {
    thresholds.emplace_back(request, static_cast<int>(i));
  }
  std::vector<reference::OutputPlace> places;
  for (size_t i = 0; i < outputs; ++i) places.emplace_back(request, static_cast<int>(i));
  return make_kernel([outputs, thresholds, places, boxes = FloatsInput(request, 0),
                      scores = FloatsInput(request, 1), count = request.inputs[1].shape[0],
                      fixed = fixed == nullptr ? 0.5f : std::get<float>(*fixed),
                      is_padded = pad != nullptr && std::get<bool>(*pad),
                      dtype = request.inputs[1].dtype](KernelContext& c) {
    Thresholds t{fixed};
    const auto threshold = [&](size_t i) { return thresholds[i].read(c)[0]; };
    if (thresholds.size() > 0) t.overlap = threshold(0);
    if (thresholds.size() > 1) t.score = threshold(1);
    if (thresholds.size() > 2) t.sigma = threshold(2);
    if (t.sigma < 0) throw invalid_argument("soft_nms_sigma must not be negative, got ", t.sigma);
    const std::vector<float> cells = boxes.read(c);
    const int32_t most = *c.input<int32_t>(2);
    if (kIsOverlaps) t.overlap = std::clamp(t.overlap, 0.0f, 1.0f);
    Selection selected = suppress(scores.read(c), most, t, [&](int32_t a, int32_t b) {
      return kIsOverlaps ? cells[static_cast<size_t>(a * count + b)]
                         : overlap(cells.data() + 4 * a, cells.data() + 4 * b);
    });
    const auto number = static_cast<int32_t>(selected.boxes.size());
    const size_t size = is_padded ? static_cast<size_t>(most) : 0;
    give(c, places[0], kInt32, std::move(selected.boxes), size);
    if (outputs > 2) give(c, places[1], dtype, std::move(selected.scores), size);
    if (outputs > 1) *c.output<int32_t>(static_cast<int>(outputs) - 1) = number;
  });
}

struct Detection {
  float score;
  int32_t label;
  const float* box;
};

// The detections of all classes of one image, best first. `boxes` is [boxes, box_classes, 4].
std::vector<Detection> detect(const float* boxes, const float* scores, int64_t count,
                              int64_t box_classes, int64_t classes, int64_t per_class,
                              const Thresholds& t) {
  std::vector<Detection> found;
  for (int64_t label = 0; label < classes; ++label) {
    const auto box = [&](int64_t i) {
      return boxes + 4 * (i * box_classes + (box_classes > 1 ? label : 0));
    };
    std::vector<float> own(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) own[static_cast<size_t>(i)] = scores[i * classes + label];
    const Selection selected =
        suppress(own, per_class, t, [&](int32_t a, int32_t b) { return overlap(box(a), box(b)); });
    for (size_t i = 0; i < selected.boxes.size(); ++i) {
      found.push_back({selected.scores[i], static_cast<int32_t>(label), box(selected.boxes[i])});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  return found;
}

KernelPtr make_combined(const KernelRequest& request) {
  const Shape boxes = request.inputs[0].shape, scores = request.inputs[1].shape;
  return make_kernel([boxes, scores, pads = request.node.attr<bool>("pad_per_class"),
                      clips = request.node.attr<bool>("clip_boxes"),
                      places = std::vector<reference::OutputPlace>{
                          {request, 0}, {request, 1}, {request, 2}}](KernelContext& c) {
    const int64_t per_class = *c.input<int32_t>(2), total = *c.input<int32_t>(3);
    const Thresholds t{*c.input<float>(4), *c.input<float>(5)};
    if (per_class <= 0 || total <= 0) {
      throw invalid_argument("max_output_size_per_class and max_total_size must be above 0, got ",
                             per_class, " and ", total);
    }
    const int64_t batch = boxes[0], classes = scores[2];
    const int64_t size = pads ? std::min(total, per_class * classes) : total;
    auto* to_boxes = static_cast<float*>(places[0].memory(c, Shape{batch, size, 4}));
    auto* to_scores = static_cast<float*>(places[1].memory(c, Shape{batch, size}));
    auto* to_classes = static_cast<float*>(places[2].memory(c, Shape{batch, size}));
    std::fill_n(to_boxes, batch * size * 4, 0.0f);
    std::fill_n(to_scores, batch * size, 0.0f);
    std::fill_n(to_classes, batch * size, 0.0f);
    parallel_for(batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        const auto found = detect(c.input<float>(0) + n * boxes.slice(1).num_elements(),
                                  c.input<float>(1) + n * scores.slice(1).num_elements(), boxes[1],
                                  boxes[2], classes, per_class, t);
        const int64_t kept = std::min(size, static_cast<int64_t>(found.size()));
        for (int64_t i = 0; i < kept; ++i) {
          const Detection& d = found[static_cast<size_t>(i)];
          for (int k = 0; k < 4; ++k) {
            to_boxes[(n * size + i) * 4 + k] = clips ? std::clamp(d.box[k], 0.0f, 1.0f) : d.box[k];
          }
          to_scores[n * size + i] = d.score;
          to_classes[n * size + i] = static_cast<float>(d.label);
        }
        c.output<int32_t>(3)[n] = static_cast<int32_t>(kept);
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"NonMaxSuppression", "reference", make_suppression<false>},
    {"NonMaxSuppressionV2", "reference", make_suppression<false>},
    {"NonMaxSuppressionV3", "reference", make_suppression<false>},
    {"NonMaxSuppressionV4", "reference", make_suppression<false>},
    {"NonMaxSuppressionV5", "reference", make_suppression<false>},
    {"NonMaxSuppressionWithOverlaps", "reference", make_suppression<true>},
    {"CombinedNonMaxSuppression", "reference", make_combined},
};

}  // namespace

std::span<const KernelDef> reference_suppression_kernels() { return kKernels; }

}  // namespace thalweg
