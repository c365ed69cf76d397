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

// Binds every setting to its variable, whose value is the default, with all that can be checked
// before anything is made. `settings` must outlive the table's reading.
void declare_settings(SettingTable& table, HonedSettings& settings);

// What of the settings only who serves needs: that the certificates can be used.
void check_certificates(const HonedOptions& options, std::vector<FieldProblem>& problems);

}  // namespace hone
