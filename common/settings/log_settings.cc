#include "common/settings/log_settings.h"

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

}  // namespace hone
