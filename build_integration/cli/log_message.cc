#include "build_integration/cli/log_message.h"

#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/json/document.h"

namespace hone {
namespace {

std::string text_of(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string last_log_message(std::string_view log, std::string_view program) {
  const std::string prefix = std::string(program) + ": ";
  std::string last_line;
  std::string last_error;
  std::string last_words;
  for (const std::string_view line : split(log, '\n')) {
    if (trim(line).empty()) {
      continue;
    }
    last_line = trim(line);
    if (line.starts_with(prefix)) {
      last_words = trim(line.substr(prefix.size()));
      continue;
    }
    const Result<Json> record = parse_json(line);
    if (!record || !record->is_object() || text_of(*record, "level") != "error") {
      continue;
    }
    for (const char* key : {"message", "reason", "error", "event"}) {
      const std::string text = text_of(*record, key);
      if (!text.empty()) {
        last_error = text;
        break;
      }
    }
  }
  if (!last_words.empty()) {
    return last_words;
  }
  return last_error.empty() ? last_line : last_error;
}

}  // namespace hone
