#include "thalweg/base/error.h"

namespace thalweg {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::kCancelled: return "cancelled";
    case Code::kUnknown: return "unknown";
    case Code::kInvalidArgument: return "invalid argument";
    case Code::kDeadlineExceeded: return "deadline exceeded";
    case Code::kNotFound: return "not found";
    case Code::kAlreadyExists: return "already exists";
    case Code::kPermissionDenied: return "permission denied";
    case Code::kResourceExhausted: return "resource exhausted";
    case Code::kFailedPrecondition: return "failed precondition";
    case Code::kAborted: return "aborted";
    case Code::kOutOfRange: return "out of range";
    case Code::kUnimplemented: return "unimplemented";
    case Code::kInternal: return "internal";
    case Code::kUnavailable: return "unavailable";
    case Code::kDataLoss: return "data loss";
  }
  return "unknown";
}

Error& Error::add_context(std::string_view where) {
  message_ = str(where, ": ", message_);
  return *this;
}

void check_failed(const char* file, int line, const char* condition, std::string message) {
  // The path below the source root says enough, and is the same on every machine.
  std::string_view path = file;
  for (std::string_view root : {"/src/", "/include/", "/tests/"}) {
    if (const size_t at = path.rfind(root); at != path.npos) path.remove_prefix(at + 1);
  }
  throw internal_error(path, ":", line, ": check failed: ", condition, message.empty() ? "" : ": ",
                       message);
}

}  // namespace thalweg
