// What stands between a graph of others and running it, gathered so that all of it is said at once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/base/error.h"

namespace thalweg {

class ImportProblems {
 public:
  /// A node whose op thalweg does not have. `where`: "node `a/b`".
  void unknown_op(std::string_view op, std::string where);
  /// An attribute that thalweg does not have, or not with that value.
  void attribute(std::string text);
  /// A node that does not fit: its inputs, its shapes.
  void node(std::string text);

  /// Grows with every problem.
  size_t total() const { return total_; }
  bool empty() const { return total_ == 0; }
  /// Throws unimplemented when ops or attributes are unknown, else invalid_argument, with
  /// everything in one message; returns when there is nothing.
  void throw_if_any() const;

 private:
  struct Unknown {
    int64_t count = 0;
    std::string first;
  };
  size_t total_ = 0;
  std::map<std::string, Unknown, std::less<>> unknown_;
  std::vector<std::string> attributes_;
  std::vector<std::string> nodes_;
};

}  // namespace thalweg
