// Building nodes that pass tensors between runs of different threads, through queues that live in
// the session.
//
// A run that puts into a full queue or takes from an empty one waits until another thread's run
// makes room, brings elements, or closes the queue. One run works through its nodes in the order in
// which they were added: what it waits for must come from another run, or from a node before it.
// Give a timeout where nobody may come. A run that changes variables keeps them for itself while
// it waits, so the runs that fill the queue must not use variables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct QueueOptions {
  std::vector<Shape> shapes = {};  // of an element's tensors; none: any
  int64_t capacity = -1;           // most elements at a time; negative: any number
  std::string shared_name = {};    // empty: the node's name
  std::string name = {};
};
/// Elements of tensors of these types, in the order in which they came. TensorFlow's FIFOQueueV2.
Output fifo_queue(Graph& graph, const std::vector<DType>& types, const QueueOptions& options = {});
/// The same with shapes known in part: batches are padded with zeros. TensorFlow's
/// PaddingFIFOQueueV2.
Output padding_fifo_queue(Graph& graph, const std::vector<DType>& types,
                          const QueueOptions& options = {});
/// Elements in random order, chosen by the graph's seed among at least `min_after_dequeue` + 1
/// while the queue is open. TensorFlow's RandomShuffleQueueV2.
Output random_shuffle_queue(Graph& graph, const std::vector<DType>& types,
                            int64_t min_after_dequeue, const QueueOptions& options = {});

struct QueueRunOptions {
  int64_t timeout_ms = -1;  // after which waiting is deadline_exceeded; negative: never
  std::string name = {};
};
/// Puts one element, or the rows of `[n, ...]` components. Errors when run: cancelled (the queue is
/// closed), deadline_exceeded.
Node& queue_enqueue(Output queue, const std::vector<Output>& components,
                    const QueueRunOptions& options = {});
Node& queue_enqueue_many(Output queue, const std::vector<Output>& components,
                         const QueueRunOptions& options = {});
/// Takes one element, or n as `[n, ...]` components. Errors when run: out_of_range (the queue is
/// closed and has too few), deadline_exceeded.
std::vector<Output> queue_dequeue(Output queue, const std::vector<DType>& types,
                                  const QueueRunOptions& options = {});
std::vector<Output> queue_dequeue_many(Output queue, int32_t n, const std::vector<DType>& types,
                                       const QueueRunOptions& options = {});
/// Takes n, or what a closed queue has left.
std::vector<Output> queue_dequeue_up_to(Output queue, int32_t n, const std::vector<DType>& types,
                                        const QueueRunOptions& options = {});
/// Says that no more elements come. Enqueues that wait for room are finished first, or end with
/// cancelled when `cancel_pending_enqueues`.
Node& queue_close(Output queue, bool cancel_pending_enqueues = false);
/// bool and int32 scalars.
Output queue_is_closed(Output queue);
Output queue_size(Output queue);

}  // namespace thalweg
