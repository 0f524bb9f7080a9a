// Ops on queues; how they wait stands in queue_state.h.
#include <algorithm>
#include <optional>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/queue_state.h"
#include "thalweg/graph/function.h"

namespace thalweg {
namespace {

using reference::QueueState;
using Kind = QueueState::Kind;
using Element = QueueState::Element;

class QueueHandle final : public HandleKernel {
 public:
  explicit QueueHandle(QueueState::Config config) : config_(std::move(config)) {}
  std::shared_ptr<Resource> create() const override {
    return std::make_shared<QueueState>(config_);
  }

 private:
  QueueState::Config config_;
};

constexpr std::pair<std::string_view, Kind> kKinds[] = {
    {"FIFOQueueV2", Kind::kFifo},
    {"PaddingFIFOQueueV2", Kind::kPadding},
    {"RandomShuffleQueueV2", Kind::kRandom},
    {"PriorityQueueV2", Kind::kPriority},
};

// What the op that makes a handle says of its queue; nothing for other nodes.
std::optional<QueueState::Config> config_of(const Node& node) {
  const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const auto& k) { return k.first == node.type(); });
  if (kind == std::end(kKinds)) return std::nullopt;
  QueueState::Config config{.kind = kind->second,
                            .types = node.attr<std::vector<DType>>("component_types"),
                            .shapes = node.attr<std::vector<Shape>>("shapes"),
                            .capacity = node.attr<int64_t>("capacity")};
  if (config.kind == Kind::kRandom) {
    config.min_after_dequeue = node.attr<int64_t>("min_after_dequeue");
    config.seed = static_cast<uint64_t>(node.attr<int64_t>("seed")) << 32 ^
                  static_cast<uint64_t>(node.attr<int64_t>("seed2"));
  }
  if (config.kind == Kind::kPriority) {
    config.types.insert(config.types.begin(), kInt64);
    config.shapes.insert(config.shapes.begin(), Shape{});
  }
  return config;
}

KernelPtr make_queue(const KernelRequest& request) {
  const QueueState::Config config = config_of(request.node).value();
  if (config.kind == Kind::kRandom && config.capacity >= 0 &&
      config.min_after_dequeue >= config.capacity) {
    throw invalid_argument("min_after_dequeue is ", config.min_after_dequeue,
                           ", so a queue of capacity ", config.capacity, " would never give one");
  }
  return std::make_unique<QueueHandle>(config);
}

// The queue of input 0. Of several ops of one kind that give one name the first makes the queue,
// and shapes were planned by what another says: all must say the same.
class QueueInput {
 public:
  explicit QueueInput(const KernelRequest& request)
      : told_(config_of(*handle_origin(request.node.input(0)))) {}

  QueueState& of(const KernelContext& c) const {
    auto& queue = c.resource<QueueState>(0);
    if (!told_) return queue;
    const QueueState::Config& made = queue.config();
    const auto check = [&](bool same, std::string_view what, const auto& has, const auto& wanted) {
      if (same) return;
      throw invalid_argument("queue `", queue.name, "` was made with ", what, " ", has,
                             ", but the op of this handle says ", wanted,
                             "; give queues that differ names of their own");
    };
    check(made.types == told_->types, "component types", made.types, told_->types);
    check(made.shapes == told_->shapes, "shapes", made.shapes, told_->shapes);
    check(made.capacity == told_->capacity, "capacity", made.capacity, told_->capacity);
    check(made.min_after_dequeue == told_->min_after_dequeue, "min_after_dequeue",
          made.min_after_dequeue, told_->min_after_dequeue);
    return queue;
  }

 private:
  std::optional<QueueState::Config> told_;
};

QueueState::Timeout timeout_of(const Node& node) {
  const auto milliseconds = node.attr<int64_t>("timeout_ms");
  if (milliseconds < 0) return std::nullopt;
  return std::chrono::milliseconds(milliseconds);
}

Tensor copied(DType dtype, const Shape& shape, const void* from) {
  Tensor tensor(dtype, shape);
  reference::copy_elements(dtype, from, tensor.mutable_raw(), shape.num_elements());
  return tensor;
}

KernelPtr make_enqueue(const KernelRequest& request) {
  std::vector<std::pair<DType, Shape>> parts;
  for (const TensorSpec& input : request.inputs.subspan(1))
    parts.emplace_back(input.dtype, input.shape);
  return make_kernel(
      [parts, queue = QueueInput(request), timeout = timeout_of(request.node)](KernelContext& c) {
        Element element;
        for (size_t i = 0; i < parts.size(); ++i) {
          element.push_back(
              copied(parts[i].first, parts[i].second, c.input_pointer(static_cast<int>(i) + 1)));
        }
        queue.of(c).enqueue({std::move(element)}, timeout);
      });
}

KernelPtr make_enqueue_many(const KernelRequest& request) {
  std::vector<std::pair<DType, Shape>> parts;  // of one row
  const int64_t rows = request.inputs[1].shape[0];
  for (const TensorSpec& input : request.inputs.subspan(1)) {
    if (input.shape[0] != rows) {
      throw invalid_argument("components have ", rows, " and ", input.shape[0],
                             " rows; they must have the same number");
    }
    parts.emplace_back(input.dtype, input.shape.slice(1));
  }
  return make_kernel([parts, rows, queue = QueueInput(request),
                      timeout = timeout_of(request.node)](KernelContext& c) {
    std::vector<Element> elements(static_cast<size_t>(rows));
    for (int64_t row = 0; row < rows; ++row) {
      for (size_t i = 0; i < parts.size(); ++i) {
        const auto& [dtype, shape] = parts[i];
        const void* from = c.input_pointer(static_cast<int>(i) + 1);
        elements[static_cast<size_t>(row)].push_back(
            copied(dtype, shape, reference::element_at(dtype, from, row * shape.num_elements())));
      }
    }
    queue.of(c).enqueue(std::move(elements), timeout);
  });
}

// Hands a finished tensor over, into the plan's memory where it made some.
void give(KernelContext& c, int i, const Shape& planned, Tensor value) {
  if (!planned.is_fully_defined()) return c.set_output(i, std::move(value));
  if (value.shape() != planned) {
    throw invalid_argument("component ", i, " has shape ", value.shape(), ", but ", planned,
                           " was told");
  }
  reference::copy_elements(value.dtype(), value.raw(), c.output_pointer(i), value.num_elements());
}

std::vector<Shape> planned_shapes(const KernelRequest& request) {
  std::vector<Shape> shapes;
  for (const TensorSpec& output : request.outputs) shapes.push_back(output.shape);
  return shapes;
}

void check_types(const QueueState& queue, const std::vector<DType>& types) {
  if (queue.config().types == types) return;
  throw invalid_argument("queue `", queue.name, "` holds ", queue.config().types, ", not ", types);
}

KernelPtr make_dequeue(const KernelRequest& request) {
  return make_kernel([planned = planned_shapes(request), input = QueueInput(request),
                      types = request.node.attr<std::vector<DType>>("component_types"),
                      timeout = timeout_of(request.node)](KernelContext& c) {
    QueueState& queue = input.of(c);
    check_types(queue, types);
    Element element = std::move(queue.dequeue(1, false, timeout)[0]);
    for (size_t i = 0; i < planned.size(); ++i)
      give(c, static_cast<int>(i), planned[i], std::move(element[i]));
  });
}

// The smallest shape that holds component `i` of all elements.
Shape common_shape(const QueueState& queue, const std::vector<Element>& elements, size_t i) {
  const Shape& declared = queue.config().shapes[i];
  std::vector<int64_t> dims(declared.dims().begin(), declared.dims().end());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != kUnknownDim) continue;
    dims[d] = 0;
    for (const Element& element : elements)
      dims[d] = std::max(dims[d], element[i].dim(static_cast<int>(d)));
  }
  return Shape(dims);
}

// Component `i` of all elements, one a row, the rest of each row zero.
Tensor stacked(const QueueState& queue, const std::vector<Element>& elements, size_t i) {
  const Shape row = common_shape(queue, elements, i);
  const DType dtype = queue.config().types[i];
  const auto count = static_cast<int64_t>(elements.size());
  Tensor batch = Tensor::zeros(dtype, Shape{count}.concat(row));
  const reference::Ints strides = reference::row_major_strides(row);
  for (int64_t n = 0; n < count; ++n) {
    const Tensor& part = elements[static_cast<size_t>(n)][i];
    reference::Offsets offsets;
    for (int d = 0; d < row.rank(); ++d)
      offsets.push_back(reference::evenly(0, strides[static_cast<size_t>(d)], part.dim(d)));
    reference::scatter_elements(
        dtype, offsets, part.raw(),
        reference::element_at(dtype, batch.mutable_raw(), n * row.num_elements()));
  }
  return batch;
}

template <bool kUpTo>
KernelPtr make_dequeue_batch(const KernelRequest& request) {
  return make_kernel([planned = planned_shapes(request), input = QueueInput(request),
                      types = request.node.attr<std::vector<DType>>("component_types"),
                      timeout = timeout_of(request.node)](KernelContext& c) {
    QueueState& queue = input.of(c);
    check_types(queue, types);
    const QueueState::Config& config = queue.config();
    const bool padding = config.kind == Kind::kPadding;
    for (size_t i = 0; i < types.size(); ++i) {
      if (config.shapes.empty() || !config.shapes[i].has_rank() ||
          (!padding && !config.shapes[i].is_fully_defined())) {
        throw invalid_argument("queue `", queue.name,
                               "`: batches can only be taken when the queue "
                               "declares its shapes",
                               padding ? "' ranks" : " in full",
                               "; declare them, or take one element at a time");
      }
    }
    const int32_t count = *c.input<int32_t>(1);
    if (count < 0) throw invalid_argument("n is ", count, "; it cannot be negative");
    const std::vector<Element> elements = queue.dequeue(count, kUpTo, timeout);
    for (size_t i = 0; i < planned.size(); ++i)
      give(c, static_cast<int>(i), planned[i], stacked(queue, elements, i));
  });
}

KernelPtr make_close(const KernelRequest& request) {
  return make_kernel(
      [cancel = request.node.attr<bool>("cancel_pending_enqueues"),
       queue = QueueInput(request)](KernelContext& c) { queue.of(c).close(cancel); });
}

KernelPtr make_is_closed(const KernelRequest& request) {
  return make_kernel([queue = QueueInput(request)](KernelContext& c) {
    *c.output<bool>() = queue.of(c).is_closed();
  });
}

KernelPtr make_size(const KernelRequest& request) {
  return make_kernel([queue = QueueInput(request)](KernelContext& c) {
    *c.output<int32_t>() = static_cast<int32_t>(queue.of(c).size());
  });
}

constexpr KernelDef kKernels[] = {
    {"FIFOQueueV2", "reference", make_queue},
    {"PaddingFIFOQueueV2", "reference", make_queue},
    {"RandomShuffleQueueV2", "reference", make_queue},
    {"PriorityQueueV2", "reference", make_queue},
    {"QueueEnqueueV2", "reference", make_enqueue},
    {"QueueEnqueueManyV2", "reference", make_enqueue_many},
    {"QueueDequeueV2", "reference", make_dequeue},
    {"QueueDequeueManyV2", "reference", make_dequeue_batch<false>},
    {"QueueDequeueUpToV2", "reference", make_dequeue_batch<true>},
    {"QueueCloseV2", "reference", make_close},
    {"QueueIsClosedV2", "reference", make_is_closed},
    {"QueueSizeV2", "reference", make_size},
};

}  // namespace

std::span<const KernelDef> reference_queue_kernels() { return kKernels; }

}  // namespace thalweg
