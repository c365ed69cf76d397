#include "build_integration/launcher/statistics.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "common/base/text.h"

namespace hone {
namespace {

// The value behind `,"name":`, without its quotes. Our own lines only (compile_log.cc): within a
// text every quote is escaped, so that this cannot match inside one.
std::string_view field(std::string_view line, std::string_view name) {
  const std::string start = ",\"" + std::string(name) + "\":";
  const std::size_t at = line.find(start);
  if (at == std::string_view::npos) {
    return {};
  }
  line.remove_prefix(at + start.size());
  if (line.starts_with('"')) {
    line.remove_prefix(1);
    return line.substr(0, line.find('"'));
  }
  return line.substr(0, line.find_first_of(",}"));
}

void append_count(std::string& text, const char* name, long count) {
  std::array<char, 96> line{};
  std::snprintf(line.data(), line.size(), "%-28s %8ld\n", name, count);
  text += line.data();
}

void append_seconds(std::string& text, const char* name, double seconds) {
  std::array<char, 96> line{};
  std::snprintf(line.data(), line.size(), "%-28s %8.1f s\n", name, seconds);
  text += line.data();
}

}  // namespace

std::string print_statistics(std::string_view log) {
  long objects = 0;
  long meant = 0;
  std::map<std::string, long> compiled = {{"tuned", 0}, {"plain", 0}, {"failed", 0}};
  std::map<std::string, long> reasons;
  std::map<std::string, long> choices;  // by member, 0 is the compiler's own pipeline
  double tuned_seconds = 0;
  double lost_seconds = 0;
  for (const std::string_view line : split(log, '\n')) {
    if (!line.starts_with('{') || !line.ends_with('}')) {
      continue;
    }
    ++objects;
    meant += field(line, "meant") == "true" ? 1 : 0;
    const std::string how(field(line, "compiled"));
    ++compiled[how];
    const double seconds = std::strtod(std::string(field(line, "cpu_seconds")).c_str(), nullptr);
    if (how == "tuned") {
      if (const std::string_view choice = field(line, "choice"); !choice.empty()) {
        ++choices[std::string(choice)];
      }
      tuned_seconds += seconds;
    } else {
      ++reasons[std::string(field(line, "reason"))];
      lost_seconds += seconds;
    }
  }
  std::string text;
  append_count(text, "objects", objects);
  append_count(text, "meant to be tuned", meant);
  append_count(text, "tuned", compiled["tuned"]);
  for (const auto& [member, count] : choices) {
    append_count(text, ("  choice " + member).c_str(), count);
  }
  append_count(text, "plain", compiled["plain"]);
  append_count(text, "failed", compiled["failed"]);
  for (const auto& [reason, count] : reasons) {
    append_count(text, ("  " + reason).c_str(), count);
  }
  append_seconds(text, "CPU time of tuned compiles", tuned_seconds);
  append_seconds(text, "CPU time of lost attempts", lost_seconds);
  return text;
}

}  // namespace hone
