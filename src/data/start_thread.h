// Threads of a pipeline, or an Error where the machine gives no more.
#pragma once

#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "thalweg/base/error.h"

namespace thalweg::data {

/// A thread that runs `work`, for `step` of the pipeline. Throws resource_exhausted.
template <class Work>
std::jthread start_thread(std::string_view step, Work work) {
  try {
    return std::jthread(std::move(work));
  } catch (const std::system_error& error) {
    throw resource_exhausted(step, ": no thread can be started: ", error.what());
  }
}

}  // namespace thalweg::data
