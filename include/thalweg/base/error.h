// The one exception type of thalweg.
//
// A user's mistake is thrown at the earliest point as an Error whose message says: subject, fault,
// expected, got, remedy. A mistake of ours is caught by THALWEG_CHECK, which is always on. At each
// edge of the system (exit status, HTTP, gRPC) one file translates the code.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "thalweg/base/strings.h"

namespace thalweg {

/// Kinds of failure; the numbers are those of gRPC's status codes.
enum class Code : int {
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
};

/// "invalid argument", "not found", ...
std::string_view to_string(Code code);

class Error : public std::exception {
 public:
  Error(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  Code code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

  /// Puts `where` (a node, a layer, file:line) in front of the message: "where: message". For outer
  /// layers that know more; use as `catch (Error& e) { e.add_context(...); throw; }`.
  Error& add_context(std::string_view where);

 private:
  Code code_;
  std::string message_;
};

#define THALWEG_ERROR_FACTORY(name, code)         \
  template <class... Args>                        \
  [[nodiscard]] Error name(const Args&... args) { \
    return Error(code, str(args...));             \
  }
THALWEG_ERROR_FACTORY(cancelled, Code::kCancelled)
THALWEG_ERROR_FACTORY(invalid_argument, Code::kInvalidArgument)
THALWEG_ERROR_FACTORY(deadline_exceeded, Code::kDeadlineExceeded)
THALWEG_ERROR_FACTORY(not_found, Code::kNotFound)
THALWEG_ERROR_FACTORY(already_exists, Code::kAlreadyExists)
THALWEG_ERROR_FACTORY(permission_denied, Code::kPermissionDenied)
THALWEG_ERROR_FACTORY(resource_exhausted, Code::kResourceExhausted)
THALWEG_ERROR_FACTORY(failed_precondition, Code::kFailedPrecondition)
THALWEG_ERROR_FACTORY(aborted, Code::kAborted)
THALWEG_ERROR_FACTORY(out_of_range, Code::kOutOfRange)
THALWEG_ERROR_FACTORY(unimplemented, Code::kUnimplemented)
THALWEG_ERROR_FACTORY(internal_error, Code::kInternal)
THALWEG_ERROR_FACTORY(unavailable, Code::kUnavailable)
THALWEG_ERROR_FACTORY(data_loss, Code::kDataLoss)
#undef THALWEG_ERROR_FACTORY

/// Throws an internal Error naming file and line; the slow path of THALWEG_CHECK.
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               std::string message);

}  // namespace thalweg

/// An invariant of our own; the optional arguments are joined into the message.
#define THALWEG_CHECK(condition, ...)                                                       \
  do {                                                                                      \
    if (!(condition)) [[unlikely]]                                                          \
      ::thalweg::check_failed(__FILE__, __LINE__, #condition, ::thalweg::str(__VA_ARGS__)); \
  } while (false)
