#include "common/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>

#include "common/base/text.h"

namespace hone {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

constexpr const char* kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";
constexpr const char* kTextPattern = "%Y-%m-%dT%H:%M:%S.%eZ %-7l %v";

std::atomic<LogFormat> format_now{LogFormat::json};

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = spdlog::stderr_logger_mt("hone");
    made->set_pattern(kJsonPattern, spdlog::pattern_time_type::utc);
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *instance;
}

using ScopeFields = std::vector<std::pair<std::string, std::string>>;

ScopeFields& scope_fields() {
  thread_local ScopeFields fields;
  return fields;
}

// Most texts are names and ids, which hold nothing that a secret must hold.
bool may_hold_secrets(std::string_view text) {
  return text.size() >= 8 && text.find_first_of(":_= ") != std::string_view::npos;
}

void append_quoted(std::string& line, std::string_view given) {
  const std::string clean = may_hold_secrets(given) ? without_secrets(given) : std::string();
  const std::string_view text = clean.empty() ? given : std::string_view(clean);
  // What others' programs answered may be any bytes, and a line of the log is JSON all the same.
  const bool readable = is_utf8(text);
  line.push_back('"');
  for (const char c : text) {
    if (!readable && static_cast<unsigned char>(c) >= 0x80) {
      line += "\xef\xbf\xbd";  // U+FFFD
    } else if (c == '"' || c == '\\') {
      line.push_back('\\');
      line.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      line.push_back(c);
    }
  }
  line.push_back('"');
}

void append_field(std::string& line, LogFormat format, std::string_view name,
                  const LogValue& value) {
  if (format == LogFormat::text) {
    line.push_back(' ');
    line += name;
    line.push_back('=');
    value.append_text(line);
    return;
  }
  line.push_back(',');
  append_quoted(line, name);
  line.push_back(':');
  value.append_json(line);
}

}  // namespace

std::vector<std::pair<std::string, LogLevel>> log_levels() {
  return {{"debug", LogLevel::debug},
          {"info", LogLevel::info},
          {"warning", LogLevel::warning},
          {"error", LogLevel::error},
          {"off", LogLevel::off}};
}

std::vector<std::pair<std::string, LogFormat>> log_formats() {
  return {{"json", LogFormat::json}, {"text", LogFormat::text}};
}

LogScope::LogScope(std::initializer_list<std::pair<std::string_view, std::string_view>> fields)
    : before_(scope_fields().size()) {
  for (const auto& [name, value] : fields) {
    if (!value.empty()) {
      scope_fields().emplace_back(name, value);
    }
  }
}

LogScope::~LogScope() {
  scope_fields().resize(before_);
}

void LogValue::append_text(std::string& line) const {
  if (const auto* text = std::get_if<std::string>(&value_)) {
    const bool bare =
        !text->empty() && text->find_first_of(" \"\\=\n\t\r") == std::string::npos &&
        std::ranges::all_of(*text, [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
    if (bare && !may_hold_secrets(*text)) {
      line += *text;
      return;
    }
  }
  append_json(line);
}

void LogValue::append_json(std::string& line) const {
  if (const auto* text = std::get_if<std::string>(&value_)) {
    append_quoted(line, *text);
  } else if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    fmt::format_to(std::back_inserter(line), "{}", *whole);
  } else if (const auto* truth = std::get_if<bool>(&value_)) {
    line += *truth ? "true" : "false";
  } else {
    const double number = std::get<double>(value_);
    if (std::isfinite(number)) {
      fmt::format_to(std::back_inserter(line), "{}", number);
    } else {
      line += "null";
    }
  }
}

void set_log_level(LogLevel level) {
  logger().set_level(to_spdlog(level));
}

void set_log_format(LogFormat format) {
  format_now = format;
  logger().set_pattern(format == LogFormat::json ? kJsonPattern : kTextPattern,
                       spdlog::pattern_time_type::utc);
}

bool is_logged(LogLevel level) {
  return logger().should_log(to_spdlog(level));
}

void log(LogLevel level, std::string_view event, LogFields fields) {
  log(level, LogContext(), event, fields);
}

void log(LogLevel level, const LogContext& context, std::string_view event, LogFields fields) {
  if (!is_logged(level)) {
    return;
  }
  const LogFormat format = format_now;
  std::string line;
  if (format == LogFormat::json) {
    line = "\"event\":";
    append_quoted(line, event);
  } else {
    line = event;
  }
  for (const LogField& field : fields) {
    append_field(line, format, field.name, field.value);
  }
  for (const auto& [name, text] :
       {std::pair<std::string_view, const std::string&>{"request", context.request},
        {"trace_id", context.trace_id},
        {"span_id", context.span_id}}) {
    if (!text.empty()) {
      append_field(line, format, name, text);
    }
  }
  const ScopeFields& scopes = scope_fields();
  for (auto scope = scopes.begin(); scope != scopes.end(); ++scope) {
    // What the line says itself goes before, and an inner scope before an outer one.
    const bool said =
        std::ranges::any_of(fields,
                            [&](const LogField& field) { return field.name == scope->first; }) ||
        std::any_of(scope + 1, scopes.end(),
                    [&](const auto& inner) { return inner.first == scope->first; });
    if (!said) {
      append_field(line, format, scope->first, scope->second);
    }
  }
  logger().log(to_spdlog(level), "{}", line);
}

}  // namespace hone
