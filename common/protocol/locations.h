// Names and places that the programs agree on without talking to each other. Thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace hone {

inline constexpr std::uint16_t kDefaultPort = 7077;
inline constexpr std::string_view kDefaultUrl = "http://127.0.0.1:7077";

// Files in honed's data folder.
inline constexpr std::string_view kAdminTokenFile = "admin.token";  // mode 0600, the first token
inline constexpr std::string_view kAddressFile =
    "honed.address";                                         // "127.0.0.1:7077\n", while it runs
inline constexpr std::string_view kLockFile = "honed.lock";  // held while it runs; its pid

// /var/lib/hone as root, else $XDG_DATA_HOME/hone or ~/.local/share/hone. Empty when there is no
// home folder.
std::filesystem::path default_data_folder();

// $XDG_CONFIG_HOME/hone or ~/.config/hone. Empty when there is no home folder.
std::filesystem::path user_config_folder();

}  // namespace hone
