#include "common/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cmath>

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

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = spdlog::stderr_logger_mt("hone");
    made->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})",
                      spdlog::pattern_time_type::utc);
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *instance;
}

void append_quoted(std::string& line, std::string_view text) {
  line.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
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

}  // namespace

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

bool is_logged(LogLevel level) {
  return logger().should_log(to_spdlog(level));
}

void log(LogLevel level, std::string_view event, LogFields fields) {
  if (!is_logged(level)) {
    return;
  }
  std::string line = "\"event\":";
  append_quoted(line, event);
  for (const LogField& field : fields) {
    line.push_back(',');
    append_quoted(line, field.name);
    line.push_back(':');
    field.value.append_json(line);
  }
  logger().log(to_spdlog(level), "{}", line);
}

}  // namespace hone
