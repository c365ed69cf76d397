#include "build_integration/cli/compile_summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/text_table.h"
#include "common/base/text.h"

namespace hone {
namespace {

bool truth(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_boolean() && found->get<bool>();
}

std::string text(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : "unknown";
}

}  // namespace

CompileSummary summarize_compiles(std::string_view ndjson) {
  CompileSummary summary;
  for (const std::string_view line : split(ndjson, '\n')) {
    if (trim(line).empty()) {
      continue;
    }
    const Result<Json> record = parse_json(line);
    if (!record || !record->is_object() || !record->contains("compiled")) {
      ++summary.unreadable;
      continue;
    }
    ++summary.compiles;
    const std::string compiled = text(*record, "compiled");
    if (compiled == "failed") {
      ++summary.failed;
    }
    if (compiled == "tuned") {
      ++summary.tuned;
      ++summary.meant;
      continue;
    }
    if (truth(*record, "meant")) {
      ++summary.meant;
    }
    ++summary.untuned_reasons[text(*record, "reason")];
  }
  return summary;
}

std::string print_summary(const CompileSummary& summary) {
  std::string text =
      fmt::format("{} compiles: {} tuned, {} plain, {} failed\n", summary.compiles, summary.tuned,
                  summary.compiles - summary.tuned - summary.failed, summary.failed);
  TextTable table({{"not tuned because", Align::left, 40}, {"objects", Align::right}});
  for (const auto& [reason, count] : summary.untuned_reasons) {
    table.add({reason, std::to_string(count)});
  }
  if (!summary.untuned_reasons.empty()) {
    text += table.text("  ");
  }
  if (summary.unreadable > 0) {
    text += fmt::format("{} lines were not readable\n", summary.unreadable);
  }
  return text;
}

Json summary_to_json(const CompileSummary& summary) {
  Json reasons = Json::object();
  for (const auto& [reason, count] : summary.untuned_reasons) {
    reasons[reason] = count;
  }
  Json document = Json::object();
  document["compiles"] = summary.compiles;
  document["tuned"] = summary.tuned;
  document["meant"] = summary.meant;
  document["failed"] = summary.failed;
  document["unreadable"] = summary.unreadable;
  document["untuned_reasons"] = std::move(reasons);
  return document;
}

}  // namespace hone
