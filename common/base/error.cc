#include "common/base/error.h"

#include <stdexcept>
#include <system_error>

namespace hone {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::unauthenticated:
      return "unauthenticated";
    case ErrorCode::permission_denied:
      return "permission_denied";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::expired:
      return "expired";
    case ErrorCode::too_large:
      return "too_large";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::timed_out:
      return "timed_out";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::resource_exhausted:
      return "resource_exhausted";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::io_failed:
      return "io_failed";
    case ErrorCode::disk_full:
      return "disk_full";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

std::string Error::describe() const {
  std::string text = message;
  for (const FieldProblem& field : fields) {
    text += "\n  ";
    text += field.pointer.empty() ? "(document)" : field.pointer;
    text += ": ";
    text += field.detail;
  }
  return text;
}

Error Error::within(std::string_view prefix) const {
  Error outer = *this;
  outer.message = std::string(prefix) + ": " + message;
  return outer;
}

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  throw std::logic_error(std::string("value() of a failed result at ") + where.to_string() + ": " +
                         error.describe());
}

Error system_error(std::string_view what, int errno_value) {
  const std::error_code reason(errno_value, std::system_category());
  return Error{ErrorCode::io_failed, std::string(what) + ": " + reason.message(), {}};
}

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::too_large:
    case ErrorCode::unsupported:
      return 2;
    case ErrorCode::unauthenticated:
    case ErrorCode::permission_denied:
      return 3;
    case ErrorCode::not_found:
      return 4;
    case ErrorCode::conflict:
    case ErrorCode::expired:
      return 5;
    case ErrorCode::timed_out:
    case ErrorCode::unavailable:
    case ErrorCode::resource_exhausted:
      return 6;
    case ErrorCode::cancelled:
      return 130;
    case ErrorCode::io_failed:
    case ErrorCode::disk_full:
    case ErrorCode::internal:
      return 1;
  }
  return 1;
}

}  // namespace hone
