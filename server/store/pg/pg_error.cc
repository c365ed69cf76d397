#include "server/store/pg/pg_error.h"

#include <stdexcept>

namespace hone {

Error PgError::to_error() const {
  const auto of_class = [&](std::string_view two) { return sqlstate.starts_with(two); };
  const std::string said =
      "database: " + message + (sqlstate.empty() ? "" : " (SQLSTATE " + sqlstate + ")");
  if (timed_out || sqlstate == "57014") {
    return Error{ErrorCode::timed_out, said, {}};
  }
  if (sqlstate == "25006") {
    return Error{ErrorCode::unavailable,
                 "the database takes no writes now: the disk it lies on is nearly full",
                 {}};
  }
  // 53100: a full disk of the database is mended without the client, who should come back.
  if (of_class("58")) {
    return Error{ErrorCode::io_failed, said, {}};
  }
  if (connection_lost || of_class("08") || of_class("53") || of_class("57P") || is_transient()) {
    return Error{ErrorCode::unavailable, said, {}};
  }
  if (sqlstate == "23505") {
    return Error{ErrorCode::conflict, said, {}};
  }
  return Error{ErrorCode::internal, said, {}};
}

void throw_exception_from_error(const PgError& error, const boost::source_location& where) {
  throw std::logic_error("value() of a failed PgOutcome (" + error.message + ") in " +
                         where.file_name());
}

}  // namespace hone
