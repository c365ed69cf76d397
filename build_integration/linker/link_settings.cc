#include "build_integration/linker/link_settings.h"

#include <charconv>
#include <cstdlib>

#include "common/links/link_copies.h"

namespace hone {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// 0 for what is no number: a misspelled variable must not break a build.
std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace

bool LinkSettings::want(std::string_view output) const {
  return copies > 0 && !program.empty() && base_name(output) == program;
}

LinkSettings read_link_settings() {
  LinkSettings settings;
  settings.program = base_name(variable("HONE_LINK_PROGRAM"));
  settings.copies = number(variable("HONE_LINK_COPIES"));
  if (settings.copies >= kMaxLinks) {
    settings.copies = 0;
  }
  constexpr std::size_t kMostSeconds = 3600;
  const std::size_t seconds = number(variable("HONE_LINK_SECONDS"));
  if (seconds > 0 && seconds <= kMostSeconds) {
    settings.time = std::chrono::seconds(seconds);
  }
  return settings;
}

}  // namespace hone
