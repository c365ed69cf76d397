#include "server/store/pg/history_rows.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace hone {
namespace {

constexpr std::int64_t kEpochOfPostgres = 946'684'800'000;  // 2000-01-01, in milliseconds
constexpr std::string_view kSignature{"PGCOPY\n\377\r\n\0", 11};
constexpr std::size_t kHeader = kSignature.size() + 8;  // flags and no extension
constexpr std::int16_t kFields = 5;

// One row after the other (PostgreSQL's documentation of COPY has the format).
class Decoder {
 public:
  explicit Decoder(HistoryRows& rows) : rows_(rows) {}

  void take(std::string_view data) {
    left_ = data;
    if (left_.starts_with(kSignature)) {
      left_.remove_prefix(std::min(kHeader, left_.size()));
    }
    while (left_.size() >= sizeof(std::int16_t)) {
      const auto fields = static_cast<std::int16_t>(number<std::uint16_t>());
      if (fields == -1) {
        return;  // the end
      }
      if (fields != kFields) {
        throw std::logic_error("a row of a history has another form");
      }
      // Whole numbers are microseconds since 2000.
      const auto at = static_cast<std::int64_t>(field<std::uint64_t>().value_or(0));
      rows_.at.push_back(at / 1000 + kEpochOfPostgres);
      rows_.version.push_back(static_cast<std::int32_t>(field<std::uint32_t>().value_or(0)));
      for (std::vector<float>* column : {&rows_.baseline, &rows_.candidate, &rows_.reward}) {
        const std::optional<std::uint32_t> bits = field<std::uint32_t>();
        column->push_back(bits ? std::bit_cast<float>(*bits)
                               : std::numeric_limits<float>::quiet_NaN());
      }
    }
  }

 private:
  template <class Unsigned>
  Unsigned number() {
    if (left_.size() < sizeof(Unsigned)) {
      throw std::logic_error("a row of a history is cut");
    }
    Unsigned value = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
      value = static_cast<Unsigned>(value << 8U | static_cast<unsigned char>(left_[i]));
    }
    left_.remove_prefix(sizeof(Unsigned));
    return value;
  }

  template <class Unsigned>
  std::optional<Unsigned> field() {
    const auto size = static_cast<std::int32_t>(number<std::uint32_t>());
    if (size == -1) {
      return std::nullopt;
    }
    if (size != sizeof(Unsigned)) {
      throw std::logic_error("a field of a history has another type");
    }
    return number<Unsigned>();
  }

  HistoryRows& rows_;
  std::string_view left_;
};

void append(std::string& out, auto value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

template <class T>
void append_column(std::string& out, std::string_view name, const std::vector<T>& values) {
  out += out.back() == '{' ? "\"" : ",\"";
  out.append(name).append("\":[");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) {
      out += ',';
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(values[i])) {
        out += "null";
        continue;
      }
    }
    append(out, values[i]);
  }
  out += ']';
}

}  // namespace

Async<HistoryRows> read_history_rows(PgPool& pool, const std::string& select) {
  const std::string statement = "COPY (" + select + ") TO STDOUT (FORMAT binary)";
  for (int tries = 1;; ++tries) {
    HistoryRows rows;
    Decoder decoder(rows);
    PgOutcome<PgPool::Lease> lease = co_await pool.acquire();
    if (!lease) {
      co_return std::move(lease).error();
    }
    const std::function<void(std::string_view)> take = [&decoder](std::string_view row) {
      decoder.take(row);
    };
    PgOutcome<PgResult> done = co_await (*lease)->copy_out(statement, take);
    if (done) {
      co_return rows;
    }
    // A connection that was lost under it: once more on a fresh one.
    if (!done.error().connection_lost || tries == 2) {
      co_return std::move(done).error();
    }
  }
}

std::string columns_json(const HistoryRows& rows) {
  std::string out = "{\"rows\":" + std::to_string(rows.size()) + ",\"columns\":{";
  append_column(out, "at", rows.at);
  append_column(out, "version", rows.version);
  append_column(out, "baseline", rows.baseline);
  append_column(out, "candidate", rows.candidate);
  append_column(out, "reward", rows.reward);
  return out + "}}";
}

}  // namespace hone
