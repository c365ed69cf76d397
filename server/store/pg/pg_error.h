// What went wrong in the database, with its SQLSTATE. Becomes an Error on its way out of the store.
#pragma once

#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include "common/base/error.h"

namespace hone {

struct PgError {
  std::string sqlstate;    // five characters, empty if it did not come from the server
  std::string message;     // the server's (or libpq's) words
  std::string constraint;  // the violated one's name, if one was
  bool connection_lost = false;
  bool timed_out = false;  // we stopped waiting

  // A conflict between transactions that goes away when the transaction is run again.
  bool is_transient() const { return sqlstate == "40001" || sqlstate == "40P01"; }
  // The disk of the database is full, or we stopped writing before it is (Store::set_read_only).
  bool takes_no_writes() const { return sqlstate == "25006" || sqlstate == "53100"; }
  // unavailable for all that passes (connection lost or none free, a server that stops, starts, is
  // read-only or does not answer, its disk full), timed_out (the statement itself took too long),
  // io_failed, conflict (unique constraint), else internal: a statement of ours was wrong. What
  // the server or libpq said is for the log alone (common/base/inside_text.h).
  Error to_error() const;
  // So that HONE_CO_TRY hands it on from functions that return Result.
  operator Error() const { return to_error(); }
};

[[noreturn]] void throw_exception_from_error(const PgError& error,
                                             const boost::source_location& where);

template <class T = void>
using PgOutcome = boost::system::result<T, PgError>;
template <class T = void>
using PgAsync = boost::asio::awaitable<PgOutcome<T>>;

}  // namespace hone
