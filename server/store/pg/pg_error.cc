#include "server/store/pg/pg_error.h"

#include <stdexcept>

#include "common/base/inside_text.h"

namespace hone {

Error PgError::to_error() const {
  const auto of_class = [&](std::string_view two) { return sqlstate.starts_with(two); };
  const std::string inside = message + (sqlstate.empty() ? "" : " (SQLSTATE " + sqlstate + ")");
  const auto said = [&](ErrorCode code, std::string_view open) {
    return Error{code, with_inside(open, inside), {}};
  };
  if (sqlstate == "57014") {
    return said(ErrorCode::timed_out, "the database took too long over it");
  }
  if (sqlstate == "25006") {
    return Error{ErrorCode::unavailable,
                 "the database takes no writes now: its disk is nearly full, or it was demoted",
                 {}};
  }
  // The system under the database refuses: 58030 is an I/O error.
  if (of_class("58")) {
    return said(ErrorCode::io_failed, "the system under the database refuses");
  }
  // Class 53 is a lack of disk, memory or connections, 57P a server that stops or starts. All of
  // these pass, as does a server that does not answer.
  if (connection_lost || timed_out || of_class("08") || of_class("53") || of_class("57P") ||
      sqlstate == "55P03" || is_transient()) {
    return said(ErrorCode::unavailable, "the database does not answer now; try again");
  }
  if (sqlstate == "23505") {
    return said(ErrorCode::conflict, "it is there already");
  }
  return said(ErrorCode::internal, "the database refused what honed asked of it, which is a bug");
}

void throw_exception_from_error(const PgError& error, const boost::source_location& where) {
  throw std::logic_error("value() of a failed PgOutcome (" + error.message + ") in " +
                         where.file_name());
}

}  // namespace hone
