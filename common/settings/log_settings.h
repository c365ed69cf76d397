// The settings of a program's log, the same for all programs. Not thread safe.
#pragma once

#include <string>

#include "common/base/log.h"
#include "common/settings/setting_table.h"

namespace hone {

struct LogSettings {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::json;
};

// Binds log_level and log_format, under a heading of their own.
void declare_log_settings(SettingTable& table, LogSettings& settings);
// From now on this process logs so.
void use_log_settings(const LogSettings& settings);
// Tells why a program that serves ends, as its last line: in the log, so that who reads that finds
// no line of another kind; in plain words where a person reads it, or nothing is logged. Gives the
// exit code.
int log_end(const std::string& program, const Error& error);

}  // namespace hone
