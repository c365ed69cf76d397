// Structured log: one JSON object a line on standard error, with time, level, event and fields; or
// the same as text for people.
//
//   log_info("lease_granted", {{"job", job_id}, {"worker", name}});
//
// An event is a short snake_case name; everything that varies is a field. Never pass a secret: a
// token's name is a field, the token is not. What looks like one of our tokens, like a password in
// an URL or like a private key is blotted out all the same, since messages of others are logged,
// too. Thread safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hone {

enum class LogLevel { debug, info, warning, error, off };
enum class LogFormat { json, text };

// With their spellings, for settings.
std::vector<std::pair<std::string, LogLevel>> log_levels();
std::vector<std::pair<std::string, LogFormat>> log_formats();

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
  // Text without quotes where it needs none.
  void append_text(std::string& line) const;

 private:
  std::variant<std::string, std::int64_t, double, bool> value_;
};

struct LogField {
  std::string_view name;
  LogValue value;
};
using LogFields = std::initializer_list<LogField>;

// What a line is about: whose request, in which trace. What is empty is left out.
struct LogContext {
  std::string request;   // the field "request"
  std::string trace_id;  // "trace_id"
  std::string span_id;   // "span_id": ours in that trace
};

// Fields of every line that this thread logs while the scope lives; scopes nest. For threads that
// do one thing at a time: a coroutine passes a LogContext instead, since others run while it waits.
class LogScope {
 public:
  // Fields whose value is empty are left out.
  explicit LogScope(std::initializer_list<std::pair<std::string_view, std::string_view>> fields);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  std::size_t before_;
};

// Lines below this level are dropped. Default: info.
void set_log_level(LogLevel level);
// Default: json.
void set_log_format(LogFormat format);

// The text with secrets replaced by "***".
std::string without_secrets(std::string_view text);

// Whether lines of this level are written: for those whose fields cost something to make.
bool is_logged(LogLevel level);

void log(LogLevel level, std::string_view event, LogFields fields);
void log(LogLevel level, const LogContext& context, std::string_view event, LogFields fields);

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
inline void log_info(const LogContext& context, std::string_view event, LogFields fields = {}) {
  log(LogLevel::info, context, event, fields);
}
inline void log_warning(const LogContext& context, std::string_view event, LogFields fields = {}) {
  log(LogLevel::warning, context, event, fields);
}
inline void log_error(const LogContext& context, std::string_view event, LogFields fields = {}) {
  log(LogLevel::error, context, event, fields);
}

}  // namespace hone
