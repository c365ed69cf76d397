#include "common/settings/log_settings.h"

#include <unistd.h>

#include <cstdio>

namespace hone {

void declare_log_settings(SettingTable& table, LogSettings& settings) {
  table.section("Its log");
  table.add({.key = "log_level", .unit = "LEVEL", .help = "The least that is logged"},
            settings.level, log_levels());
  table.add({.key = "log_format",
             .unit = "FORMAT",
             .help = "A JSON object a line, or text for people; both on standard error"},
            settings.format, log_formats());
}

void use_log_settings(const LogSettings& settings) {
  set_log_level(settings.level);
  set_log_format(settings.format);
}

int log_end(const std::string& program, const Error& error) {
  const int code = exit_code(error.code);
  if (isatty(STDERR_FILENO) == 1 || !is_logged(LogLevel::error)) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.describe().c_str());
  } else {
    log_error("ended", {{"reason", error.describe()}, {"exit_code", code}});
  }
  return code;
}

}  // namespace hone
