// Structured log: one JSON object a line on standard error, with time, level, event and fields.
//
//   log_info("lease_granted", {{"job", job_id}, {"worker", name}});
//
// An event is a short snake_case name; everything that varies is a field. Never pass a secret: a
// token's name is a field, the token is not. Thread safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace hone {

enum class LogLevel { debug, info, warning, error, off };

// A field's value; text is quoted and escaped, numbers and truth values stand bare.
class LogValue {
 public:
  LogValue(std::string_view text) : value_(std::string(text)) {}
  LogValue(const std::string& text) : value_(text) {}
  LogValue(const char* text) : value_(std::string(text)) {}
  LogValue(bool truth) : value_(truth) {}
  LogValue(double number) : value_(number) {}
  LogValue(int number) : value_(std::int64_t{number}) {}
  LogValue(std::int64_t number) : value_(number) {}
  LogValue(std::uint64_t number) : value_(static_cast<std::int64_t>(number)) {}

  void append_json(std::string& line) const;

 private:
  std::variant<std::string, std::int64_t, double, bool> value_;
};

struct LogField {
  std::string_view name;
  LogValue value;
};
using LogFields = std::initializer_list<LogField>;

// Lines below this level are dropped. Default: info.
void set_log_level(LogLevel level);

// Whether lines of this level are written: for those whose fields cost something to make.
bool is_logged(LogLevel level);

void log(LogLevel level, std::string_view event, LogFields fields);
inline void log_debug(std::string_view event, LogFields fields = {}) {
  log(LogLevel::debug, event, fields);
}
inline void log_info(std::string_view event, LogFields fields = {}) {
  log(LogLevel::info, event, fields);
}
inline void log_warning(std::string_view event, LogFields fields = {}) {
  log(LogLevel::warning, event, fields);
}
inline void log_error(std::string_view event, LogFields fields = {}) {
  log(LogLevel::error, event, fields);
}

}  // namespace hone
