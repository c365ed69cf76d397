// honed's settings: the one place that names them.
#pragma once

#include "common/settings/log_settings.h"
#include "server/honed.h"

namespace hone {

struct HonedSettings {
  HonedOptions options;
  std::string listen = "127.0.0.1:7077";
  LogSettings log;
};

// Binds every setting to its variable, whose value is the default.
void declare_settings(SettingTable& table, HonedSettings& settings);

// What several settings say together: the address in its parts. invalid_argument naming the
// setting.
Result<void> finish_settings(HonedSettings& settings);

}  // namespace hone
