#include "kernels/reference/queue_state.h"

#include <algorithm>

namespace thalweg::reference {
namespace {

using Clock = std::chrono::steady_clock;

std::optional<Clock::time_point> deadline_of(const QueueState::Timeout& timeout) {
  // Who waits for a century waits for ever, and such a time may lie beyond the clock's last.
  constexpr std::chrono::hours kForEver{24 * 365 * 100};
  if (!timeout || *timeout > kForEver) return std::nullopt;
  return Clock::now() + *timeout;
}

}  // namespace

class QueueState::Place {
 public:
  Place(Line& line, std::condition_variable& changed) : line_(line), changed_(changed) {
    attempt_ = line_.emplace(line_.end());
  }
  ~Place() {
    line_.erase(attempt_);
    changed_.notify_all();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  bool is_first() const { return attempt_ == line_.begin(); }
  bool is_cancelled() const { return attempt_->cancelled; }

 private:
  Line& line_;
  std::condition_variable& changed_;
  Line::iterator attempt_;
};

QueueState::QueueState(Config config) : config_(std::move(config)), random_(config_.seed) {}

void QueueState::check(const Element& element) const {
  if (element.size() != config_.types.size()) {
    throw invalid_argument("queue `", name, "` takes ", config_.types.size(), " components, got ",
                           element.size());
  }
  for (size_t i = 0; i < element.size(); ++i) {
    if (element[i].dtype() != config_.types[i]) {
      throw invalid_argument("queue `", name, "`: component ", i, " is ", element[i].dtype(),
                             ", expected ", config_.types[i]);
    }
    if (!config_.shapes.empty() && !element[i].shape().is_compatible_with(config_.shapes[i])) {
      throw invalid_argument("queue `", name, "`: component ", i, " has shape ", element[i].shape(),
                             ", expected ", config_.shapes[i]);
    }
  }
}

bool QueueState::is_full() const {
  return config_.capacity >= 0 && static_cast<int64_t>(elements_.size()) >= config_.capacity;
}

void QueueState::put(Element element) {
  auto place = elements_.end();
  if (config_.kind == Kind::kPriority) {
    // Elements of one priority keep their order.
    place = std::upper_bound(elements_.begin(), elements_.end(), element,
                             [](const Element& a, const Element& b) {
                               return a[0].item<int64_t>() < b[0].item<int64_t>();
                             });
  }
  elements_.insert(place, std::move(element));
}

QueueState::Element QueueState::take() {
  if (config_.kind == Kind::kRandom) {
    std::swap(elements_.front(), elements_[random_.below(elements_.size())]);
  }
  Element element = std::move(elements_.front());
  elements_.pop_front();
  return element;
}

int64_t QueueState::available() const {
  const auto size = static_cast<int64_t>(elements_.size());
  return closed_ ? size : size - config_.min_after_dequeue;
}

void QueueState::wait(std::unique_lock<std::mutex>& lock,
                      const std::optional<Clock::time_point>& deadline, const char* what) {
  if (!deadline) {
    changed_.wait(lock);
  } else if (changed_.wait_until(lock, *deadline) == std::cv_status::timeout) {
    throw deadline_exceeded("queue `", name, "`: ", what, " waited until its timeout; ",
                            elements_.size(), " elements are in the queue");
  }
}

void QueueState::enqueue(std::vector<Element> elements, Timeout timeout) {
  for (const Element& element : elements) check(element);
  const auto deadline = deadline_of(timeout);
  std::unique_lock lock(mutex_);
  const Place place(enqueuers_, changed_);
  for (auto next = elements.begin(); next != elements.end();) {
    if (place.is_cancelled() || (closed_ && place.is_first()))
      throw cancelled("queue `", name, "` is closed: nothing more can be put in");
    if (place.is_first() && !is_full()) {
      while (next != elements.end() && !is_full()) put(std::move(*next++));
      changed_.notify_all();
    } else {
      wait(lock, deadline, "an enqueue");
    }
  }
}

std::vector<QueueState::Element> QueueState::dequeue(int64_t count, bool up_to, Timeout timeout) {
  const auto deadline = deadline_of(timeout);
  std::vector<Element> taken;
  std::unique_lock lock(mutex_);
  const Place place(dequeuers_, changed_);
  const auto give_back = [&] {
    for (; !taken.empty(); taken.pop_back()) elements_.push_front(std::move(taken.back()));
  };
  try {
    while (static_cast<int64_t>(taken.size()) < count) {
      const int64_t missing = count - static_cast<int64_t>(taken.size());
      if (place.is_first() && closed_ && available() < missing) {
        if (up_to && !(taken.empty() && elements_.empty())) {
          count = static_cast<int64_t>(taken.size() + elements_.size());
          continue;
        }
        throw out_of_range("queue `", name, "` is closed and has too few elements: ", count,
                           " were asked for, ", taken.size() + elements_.size(), " are there");
      }
      if (place.is_first() && available() > 0) {
        for (int64_t i = std::min(missing, available()); i > 0; --i) taken.push_back(take());
        changed_.notify_all();
      } else {
        wait(lock, deadline, "a dequeue");
      }
    }
  } catch (...) {
    give_back();
    throw;
  }
  return taken;
}

void QueueState::close(bool cancel_pending_enqueues) {
  std::unique_lock lock(mutex_);
  if (cancel_pending_enqueues) {
    closed_ = true;
    for (Attempt& attempt : enqueuers_) attempt.cancelled = true;
  } else {
    const Place place(enqueuers_, changed_);
    while (!place.is_first() && !place.is_cancelled()) changed_.wait(lock);
    closed_ = true;
  }
  changed_.notify_all();
}

bool QueueState::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

int64_t QueueState::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(elements_.size());
}

}  // namespace thalweg::reference
