// COPY in its binary format: PostgreSQL sends transaction, number and line of each row as they are,
// without the escapes of its text format, so that a line is copied into the page and never looked
// at.
//
// A page is a statement of its own, and holds its connection only while it comes in: a client that
// reads slowly keeps neither a connection nor a snapshot.
#include "server/store/pg/line_stream.h"

#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "common/protocol/names.h"
#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

constexpr std::size_t kDatabaseIdSize = 8;

Error bad_cursor(std::string detail) {
  return {ErrorCode::invalid_argument, "bad parameter", {{"/after", std::move(detail)}}};
}

// "12-34-0a1b2c3d": a cursor of a stream, and the database it is from. Releases before this one
// wrote no database.
Result<StreamCursor> parse_line_cursor(std::string_view text, const std::string& database) {
  const std::size_t first = text.find('-');
  const std::size_t second =
      first == std::string_view::npos ? std::string_view::npos : text.find('-', first + 1);
  if (second == std::string_view::npos) {
    return parse_stream_cursor(text, "/after");
  }
  const std::string_view from = text.substr(second + 1);
  if (from.size() != kDatabaseIdSize ||
      from.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return bad_cursor("is no cursor of this stream");
  }
  if (from != database && !database.empty()) {
    return bad_cursor("is a cursor of another database (" + std::string(from) + ", and this is " +
                      database +
                      "): ask the coordinator that it came from, or begin anew without it");
  }
  return parse_stream_cursor(text.substr(0, second), "/after");
}

// pg_snapshot_xmin: every transaction below it is over. Rows of those at or above it wait. The sum
// costs little: of a long line that PostgreSQL keeps aside it reads only the length.
// COPY takes no parameters. The names are targets' (is_valid_name: letters, digits, '.', '_', '-'),
// the id is a UUID; whatever else is left out, so that nothing else can come into the statement.
std::string seen_by(const LineSource& source, const Reader& reader) {
  if (!reader.targets) {
    return "true";
  }
  std::string names;
  for (const std::string& name : *reader.targets) {
    if (is_valid_name(name)) {
      names += (names.empty() ? "'" : ",'") + name + "'";
    }
  }
  const std::string id =
      is_uuid(reader.token) ? reader.token : "00000000-0000-0000-0000-000000000000";
  return fmt::format(fmt::runtime(source.seen), "ARRAY[" + names + "]::text[]",
                     "'" + id + "'::uuid");
}

std::string copy_statement(const LineSource& source, const StreamCursor& after,
                           const LineRequest& wanted) {
  return fmt::format(R"sql(
COPY (
  SELECT transaction, number, line FROM (
    SELECT transaction, number, line,
           sum(octet_length(line)) OVER (ORDER BY transaction, number ROWS UNBOUNDED PRECEDING)
             - octet_length(line) AS before
    FROM (
      SELECT s.transaction, s.number, {} AS line
      FROM {}
      WHERE (s.transaction, s.number) > ('{}'::xid8, {}::bigint)
        AND s.transaction < pg_snapshot_xmin(pg_current_snapshot())
        AND {}
      ORDER BY s.transaction, s.number
      LIMIT {}) AS next) AS sized
  WHERE before < {}
  ORDER BY transaction, number)
TO STDOUT (FORMAT binary))sql",
                     source.line, source.from, after.transaction, after.number,
                     seen_by(source, wanted.reader), wanted.rows, wanted.bytes);
}

// Takes binary rows apart (PostgreSQL's documentation of COPY has the format): the header before
// the first, a count of fields, and each field behind its length.
class RowReader {
 public:
  RowReader(LinePage& page, const std::string& database)
      : page_(page), suffix_(database.empty() ? "" : "-" + database) {}

  void take(std::string_view data) {
    left_ = data;
    if (left_.starts_with(kSignature)) {
      bytes(kSignature.size() + 4);                             // and flags
      bytes(static_cast<std::size_t>(number<std::int32_t>()));  // an extension of the header
    }
    while (!left_.empty()) {
      const auto fields = number<std::int16_t>();
      if (fields == -1) {
        return;  // the end
      }
      if (fields != 3) {
        refuse();
      }
      add_row();
    }
  }

 private:
  static constexpr std::string_view kSignature{"PGCOPY\n\377\r\n\0", 11};

  void add_row() {
    StreamCursor cursor;
    cursor.transaction = whole_number();
    cursor.number = static_cast<std::int64_t>(whole_number());
    const std::string_view line = bytes(static_cast<std::size_t>(number<std::int32_t>()));
    if (line.size() < 3 || line.front() != '{') {
      refuse();
    }
    page_.next_cursor = to_text(cursor) + suffix_;
    page_.lines.append(R"({"cursor":")").append(page_.next_cursor).append("\",");
    page_.lines.append(line.substr(1)).push_back('\n');
    ++page_.count;
  }

  std::uint64_t whole_number() {
    if (number<std::int32_t>() != 8) {
      refuse();
    }
    return static_cast<std::uint64_t>(number<std::int64_t>());
  }

  template <class Int>
  Int number() {
    std::uint64_t value = 0;
    for (const char byte : bytes(sizeof(Int))) {
      value = value << 8U | static_cast<unsigned char>(byte);
    }
    return static_cast<Int>(value);
  }

  std::string_view bytes(std::size_t size) {
    if (size > left_.size()) {
      refuse();
    }
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  // The statement is ours, and so is what it gives.
  [[noreturn]] static void refuse() {
    throw std::logic_error("a row of a stream has another form");
  }

  LinePage& page_;
  const std::string suffix_;  // of cursors
  std::string_view left_;
};

}  // namespace

Async<LinePage> read_lines(PgPool& pool, const LineSource& source, LineRequest wanted) {
  HONE_CO_TRY(const StreamCursor after, parse_line_cursor(wanted.after, pool.database_id()));
  if (wanted.rows < 1 || wanted.bytes < 1) {
    co_return Error{
        ErrorCode::invalid_argument, "bad parameter", {{"/limit", "must be at least 1"}}};
  }
  const std::string statement = copy_statement(source, after, wanted);
  for (int tries = 1;; ++tries) {
    LinePage page;
    page.next_cursor = wanted.after;
    RowReader reader(page, pool.database_id());
    PgOutcome<PgPool::Lease> lease = co_await pool.acquire();
    if (!lease) {
      co_return std::move(lease).error();
    }
    const std::function<void(std::string_view)> take = [&reader](std::string_view row) {
      reader.take(row);
    };
    PgOutcome<PgResult> done = co_await (*lease)->copy_out(statement, take);
    if (done) {
      co_return page;
    }
    done.error().message += " [stream of " + source.name + "]";
    // A connection that was lost under it: once more on a fresh one, from the beginning.
    if (!done.error().connection_lost || tries == 2) {
      co_return std::move(done).error();
    }
  }
}

}  // namespace hone
