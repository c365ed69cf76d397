#include "build_integration/cli/log_message.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/json/document.h"

namespace hone {
namespace {

std::string text_of(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The reason in an error's line of the structured log, as JSON or as text; "" for another line of
// it; nothing for a line that is none.
std::optional<std::string> logged_error(std::string_view line) {
  if (line.starts_with('{')) {
    const Result<Json> record = parse_json(line);
    if (!record || !record->is_object() || !record->contains("event")) {
      return std::nullopt;
    }
    if (text_of(*record, "level") != "error") {
      return std::string();
    }
    for (const char* key : {"message", "reason", "why", "error", "end", "event"}) {
      std::string text = text_of(*record, key);
      if (!text.empty()) {
        return text;
      }
    }
    return std::string();
  }
  // 2026-11-29T07:00:00.000Z error   event name=value ...
  constexpr std::size_t kTimeSize = 24;
  if (line.size() < kTimeSize + 1 || line[10] != 'T' || line[kTimeSize - 1] != 'Z') {
    return std::nullopt;
  }
  const std::string_view rest = line.substr(kTimeSize + 1);
  return rest.starts_with("error ") ? std::string(trim(rest.substr(6))) : std::string();
}

}  // namespace

std::string last_log_message(std::string_view log, std::string_view program) {
  const std::string prefix = std::string(program) + ": ";
  std::string last_line;
  std::string last_error;
  std::string last_words;
  bool goes_on = false;  // with what settings are wrong, in lines of their own
  for (const std::string_view line : split(log, '\n')) {
    if (trim(line).empty()) {
      continue;
    }
    if (line.starts_with(prefix)) {
      last_words = trim(line.substr(prefix.size()));
      goes_on = true;
      continue;
    }
    goes_on = goes_on && line.starts_with("  ");
    if (goes_on) {
      last_words += "\n" + std::string(line);
      continue;
    }
    const std::optional<std::string> error = logged_error(line);
    if (!error) {
      last_line = trim(line);
    } else if (!error->empty()) {
      last_error = *error;
    }
  }
  if (!last_words.empty()) {
    return last_words;
  }
  return last_error.empty() ? last_line : last_error;
}

}  // namespace hone
