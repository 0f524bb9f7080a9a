#include "thalweg/data/iterator.h"

#include <bit>

#include "data/node.h"

namespace thalweg::data {

Tensor Position::to_tensor() const {
  return Tensor::of<int64_t>({epoch, index, std::bit_cast<int64_t>(pipeline)});
}

Position Position::from_tensor(const Tensor& tensor) {
  if (tensor.dtype() != kInt64 || tensor.shape() != Shape{3}) {
    throw invalid_argument("a position in the data is int64[3] (epoch, index, pipeline), got ",
                           tensor.dtype(), tensor.shape());
  }
  const auto values = tensor.data<int64_t>();
  if (values[0] < 0 || values[1] < 0) {
    throw data_loss("a position in the data cannot be epoch ", values[0], ", element ", values[1]);
  }
  return {.epoch = values[0], .index = values[1], .pipeline = std::bit_cast<uint64_t>(values[2])};
}

std::string Position::to_string() const { return str("epoch ", epoch, ", element ", index); }

struct Iterator::State {
  std::shared_ptr<const Node> node;
  Position position;
  std::unique_ptr<ExampleStream> stream;  // after node, which it borrows; null after the end
  bool failed = false;
};

Iterator::Iterator(std::shared_ptr<const Node> node, const Position& start)
    : state_(std::make_unique<State>(
          State{.node = std::move(node), .position = start, .stream = nullptr})) {
  if (start.epoch < 0 || start.index < 0) {
    throw invalid_argument("cannot start at ", start, ": epoch and element count from 0");
  }
  State& state = *state_;
  const uint64_t pipeline = state.node->hash(Hash::kPipeline);
  if (start.pipeline != 0 && start.pipeline != pipeline) {
    throw failed_precondition("cannot go on at ", start,
                              ": the position was taken in another pipeline; sizes, seeds, "
                              "steps and their order must be those of then");
  }
  state.position.pipeline = pipeline;
  state.stream = state.node->examples(start.epoch);
  const int64_t passed = start.index == 0 ? 0 : state.stream->skip(start.index);
  if (passed < start.index) {
    throw out_of_range("cannot start at ", start, ": that pass has only ", passed, " elements");
  }
}

Iterator::~Iterator() = default;
Iterator::Iterator(Iterator&&) noexcept = default;
Iterator& Iterator::operator=(Iterator&&) noexcept = default;

std::optional<Example> Iterator::next() {
  State& state = *state_;
  if (state.failed) {
    throw failed_precondition("the data pipeline failed at ", state.position,
                              "; open it again to go on from there");
  }
  if (!state.stream) return std::nullopt;
  try {
    std::optional<Example> result = state.stream->next();
    if (result) {
      ++state.position.index;
    } else {
      state.stream.reset();  // threads and buffers are not kept until the destructor
    }
    return result;
  } catch (Error& error) {
    state.failed = true;
    error.add_context(state.position.to_string());
    throw;
  } catch (...) {
    state.failed = true;
    throw;
  }
}

Position Iterator::position() const { return state_->position; }

}  // namespace thalweg::data
