// Queues: where one thread of runs leaves tensors for another.
#include "thalweg/ops/queue.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/resource_rows.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr char kNoNumbers[] = "what comes out of a queue went into it in another run";
constexpr char kChanges[] = "it has no output that is a number";

using Types = std::vector<DType>;
using Shapes = std::vector<Shape>;

void queue_shape(ShapeContext& c) {
  const size_t types = c.attr<Types>("component_types").size();
  const size_t shapes = c.attr<Shapes>("shapes").size();
  if (shapes != 0 && shapes != types)
    throw c.error("attribute `shapes` has ", shapes, " shapes for ", types, " components");
  c.set_output(0, Shape{});
}

// Types and shapes of a queue's components, as far as its handle tells.
struct Components {
  bool known = false;
  Types types;
  Shapes shapes;  // empty: any
};

Components components_of(const ShapeContext& c) {
  const Node* queue = handle_maker(c, 0);
  if (queue == nullptr || queue->find_attr("component_types") == nullptr) return {};
  Components result{true, queue->attr<Types>("component_types"), queue->attr<Shapes>("shapes")};
  if (queue->type() == "PriorityQueueV2") {
    result.types.insert(result.types.begin(), kInt64);
    result.shapes.insert(result.shapes.begin(), Shape{});
  }
  return result;
}

Components checked_components(const ShapeContext& c, const char* attr) {
  Components queue = components_of(c);
  if (queue.known && queue.types != c.attr<Types>(attr)) {
    throw c.error("the queue's components are ", queue.types, ", but `", attr, "` is ",
                  c.attr<Types>(attr));
  }
  return queue;
}

void enqueue(ShapeContext& c, bool many) {
  const Components queue = checked_components(c, "Tcomponents");
  Shape batch{kUnknownDim};
  for (int i = 1; i < c.num_inputs(); ++i) {
    Shape part = c.input(i);
    if (many) {
      part = c.with_rank_at_least(i, 1);
      if (!part.has_rank()) continue;
      if (!batch.is_compatible_with(Shape{part[0]})) {
        throw c.error("component ", i - 1, " has ", part[0], " rows, an earlier one ", batch[0]);
      }
      batch = batch.merge(Shape{part[0]});
      part = part.slice(1);
    }
    if (queue.shapes.empty()) continue;
    const Shape& wanted = queue.shapes[static_cast<size_t>(i) - 1];
    if (!part.is_compatible_with(wanted))
      throw c.error("component ", i - 1, " has shape ", part, ", the queue takes ", wanted);
  }
}

void dequeue_shape(ShapeContext& c) {
  const Components queue = checked_components(c, "component_types");
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, queue.shapes.empty() ? Shape::unknown() : queue.shapes[static_cast<size_t>(i)]);
  }
}

void dequeue_batch(ShapeContext& c, bool exact) {
  const Components queue = checked_components(c, "component_types");
  if (c.input(1).has_rank()) c.with_rank(1, 0);
  const auto n = c.constant_int(1);
  if (n && *n < 0) throw c.error("n is ", *n, "; it cannot be negative");
  const Shape batch{exact && n ? *n : kUnknownDim};
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, queue.shapes.empty() ? Shape::unknown()
                                         : batch.concat(queue.shapes[static_cast<size_t>(i)]));
  }
}

constexpr char kHandle[] = "handle: resource | The queue's handle.";
constexpr char kTypes[] = "component_types: list(type) >= 1 | Types of an element's tensors.";
constexpr char kShapes[] =
    "shapes: list(shape) >= 0 = [] | Their shapes; none: any shape, and only one element at a time "
    "may be taken.";
constexpr char kCapacity[] = "capacity: int = -1 | Most elements at a time; negative: any number.";
constexpr char kContainer[] = "container: string = '' | Part of the queue's key in the session.";
constexpr char kSharedName[] =
    "shared_name: string = '' | The queue's name, its key in the session; the node's name when "
    "empty.";
constexpr char kTimeout[] =
    "timeout_ms: int = -1 | Milliseconds to wait before deadline_exceeded; negative: for ever.";
constexpr char kPut[] = "Tcomponents: list(type) >= 1 | Types of the components.";
constexpr char kTaken[] = "components: component_types | One tensor each component.";

constexpr OpDef kQueueOps[] = {
    {.name = "FIFOQueueV2",
     .inputs = {},
     .outputs = {kHandle},
     .attrs = {kTypes, kShapes, kCapacity, kContainer, kSharedName},
     .doc = "The handle of a queue that gives elements in the order in which they came.",
     .shape = queue_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "PaddingFIFOQueueV2",
     .inputs = {},
     .outputs = {kHandle},
     .attrs = {kTypes, "shapes: list(shape) >= 0 = [] | Their shapes, known in rank.", kCapacity,
               kContainer, kSharedName},
     .doc =
         "A FIFOQueueV2 whose shapes may be unknown in part: a batch is padded with zeros to its "
         "largest element.",
     .shape = queue_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "RandomShuffleQueueV2",
     .inputs = {},
     .outputs = {kHandle},
     .attrs = {kTypes, kShapes, kCapacity,
               "min_after_dequeue: int = 0 | Elements that stay while the queue is open, so that "
               "there is something to choose from.",
               "seed: int = 0 | First part of the seed of the choice.",
               "seed2: int = 0 | Second part.", kContainer, kSharedName},
     .doc = "The handle of a queue that gives elements in random order.",
     .shape = queue_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "PriorityQueueV2",
     .inputs = {},
     .outputs = {kHandle},
     .attrs = {"component_types: list(type) >= 0 = [] | Types of an element's tensors after the "
               "priority, an int64 scalar that comes first.",
               "shapes: list(shape) >= 0 | Their shapes.", kCapacity, kContainer, kSharedName},
     .doc = "The handle of a queue that gives the element of the smallest priority first.",
     .shape = queue_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "QueueEnqueueV2",
     .inputs = {kHandle, "components: Tcomponents | One tensor each component."},
     .outputs = {},
     .attrs = {kPut, kTimeout},
     .doc = "Puts one element into a queue; waits while the queue is full. cancelled when it is "
            "closed.",
     .shape = [](ShapeContext& c) { enqueue(c, false); },
     .no_gradient = kChanges,
     .effect = Effect::kWrites},
    {.name = "QueueEnqueueManyV2",
     .inputs = {kHandle, "components: Tcomponents | `[n, ...]` each component."},
     .outputs = {},
     .attrs = {kPut, kTimeout},
     .doc = "Puts n elements into a queue, one by one as there is room.",
     .shape = [](ShapeContext& c) { enqueue(c, true); },
     .no_gradient = kChanges,
     .effect = Effect::kWrites},
    {.name = "QueueDequeueV2",
     .inputs = {kHandle},
     .outputs = {kTaken},
     .attrs = {"component_types: list(type) >= 1 | Types of the components.", kTimeout},
     .doc = "Takes one element out of a queue; waits while there is none. out_of_range when the "
            "queue is closed and empty.",
     .shape = dequeue_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kWrites},
    {.name = "QueueDequeueManyV2",
     .inputs = {kHandle, "n: int32 | A scalar."},
     .outputs = {"components: component_types | `[n, ...]` each component."},
     .attrs = {"component_types: list(type) >= 1 | Types of the components.", kTimeout},
     .doc =
         "Takes n elements out of a queue; waits until there were so many. out_of_range when the "
         "queue is closed with fewer, which stay.",
     .shape = [](ShapeContext& c) { dequeue_batch(c, true); },
     .no_gradient = kNoNumbers,
     .effect = Effect::kWrites},
    {.name = "QueueDequeueUpToV2",
     .inputs = {kHandle, "n: int32 | A scalar."},
     .outputs = {"components: component_types | `[n, ...]` each component, or what a closed queue "
                 "has left."},
     .attrs = {"component_types: list(type) >= 1 | Types of the components.", kTimeout},
     .doc = "QueueDequeueManyV2 that takes what is left of a closed queue, when that is anything.",
     .shape = [](ShapeContext& c) { dequeue_batch(c, false); },
     .no_gradient = kNoNumbers,
     .effect = Effect::kWrites},
    {.name = "QueueCloseV2",
     .inputs = {kHandle},
     .outputs = {},
     .attrs = {"cancel_pending_enqueues: bool = false | Whether those that wait for room end with "
               "cancelled; else the queue closes after them."},
     .doc = "Says that no more elements come: later enqueues fail, dequeues go on while there is "
            "enough.",
     .shape = shape_functions::none,
     .no_gradient = kChanges,
     .effect = Effect::kWrites},
    {.name = "QueueIsClosedV2",
     .inputs = {kHandle},
     .outputs = {"is_closed: bool | A scalar."},
     .attrs = {},
     .doc = "Whether a queue is closed.",
     .shape = shape_functions::scalar,
     .no_gradient = kChanges,
     .effect = Effect::kReads},
    {.name = "QueueSizeV2",
     .inputs = {kHandle},
     .outputs = {"size: int32 | A scalar."},
     .attrs = {},
     .doc = "The number of elements in a queue.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers,
     .effect = Effect::kReads},
};

AttrMap queue_attrs(const Types& types, const QueueOptions& options) {
  return {{"component_types", types},
          {"shapes", options.shapes},
          {"capacity", options.capacity},
          {"shared_name", options.shared_name}};
}

std::vector<Output> with_handle(Output queue, const std::vector<Output>& components) {
  std::vector<Output> inputs{queue};
  inputs.insert(inputs.end(), components.begin(), components.end());
  return inputs;
}

std::vector<Output> take(const char* op, Output queue, const Types& types, const int32_t* n,
                         const QueueRunOptions& options) {
  Graph& graph = queue.graph();
  std::vector<Output> inputs{queue};
  if (n != nullptr)
    inputs.push_back(graph.add("Const", {}, {{"dtype", kInt32}, {"value", Tensor(*n)}}).output());
  Node& node =
      graph.add(op, inputs, {{"component_types", types}, {"timeout_ms", options.timeout_ms}},
                {.name = options.name});
  std::vector<Output> outputs;
  for (int i = 0; i < node.num_outputs(); ++i) outputs.push_back(node.output(i));
  return outputs;
}

}  // namespace

std::span<const OpDef> queue_ops() { return kQueueOps; }

Output fifo_queue(Graph& graph, const Types& types, const QueueOptions& options) {
  return graph.add("FIFOQueueV2", {}, queue_attrs(types, options), {.name = options.name}).output();
}

Output padding_fifo_queue(Graph& graph, const Types& types, const QueueOptions& options) {
  return graph.add("PaddingFIFOQueueV2", {}, queue_attrs(types, options), {.name = options.name})
      .output();
}

Output random_shuffle_queue(Graph& graph, const Types& types, int64_t min_after_dequeue,
                            const QueueOptions& options) {
  AttrMap attrs = queue_attrs(types, options);
  attrs["min_after_dequeue"] = min_after_dequeue;
  attrs["seed"] = static_cast<int64_t>(graph.seed());
  return graph.add("RandomShuffleQueueV2", {}, std::move(attrs), {.name = options.name}).output();
}

Node& queue_enqueue(Output queue, const std::vector<Output>& components,
                    const QueueRunOptions& options) {
  return queue.graph().add("QueueEnqueueV2", with_handle(queue, components),
                           {{"timeout_ms", options.timeout_ms}}, {.name = options.name});
}

Node& queue_enqueue_many(Output queue, const std::vector<Output>& components,
                         const QueueRunOptions& options) {
  return queue.graph().add("QueueEnqueueManyV2", with_handle(queue, components),
                           {{"timeout_ms", options.timeout_ms}}, {.name = options.name});
}

std::vector<Output> queue_dequeue(Output queue, const Types& types,
                                  const QueueRunOptions& options) {
  return take("QueueDequeueV2", queue, types, nullptr, options);
}

std::vector<Output> queue_dequeue_many(Output queue, int32_t n, const Types& types,
                                       const QueueRunOptions& options) {
  return take("QueueDequeueManyV2", queue, types, &n, options);
}

std::vector<Output> queue_dequeue_up_to(Output queue, int32_t n, const Types& types,
                                        const QueueRunOptions& options) {
  return take("QueueDequeueUpToV2", queue, types, &n, options);
}

Node& queue_close(Output queue, bool cancel_pending_enqueues) {
  return queue.graph().add("QueueCloseV2", {queue},
                           {{"cancel_pending_enqueues", cancel_pending_enqueues}});
}

Output queue_is_closed(Output queue) { return add_op("QueueIsClosedV2", {queue}); }

Output queue_size(Output queue) { return add_op("QueueSizeV2", {queue}); }

}  // namespace thalweg
