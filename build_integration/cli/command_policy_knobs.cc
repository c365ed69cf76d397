// hone policy knobs
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/command_policy.h"
#include "build_integration/cli/text_table.h"
#include "common/base/text.h"
#include "common/pipelines/gcc_option_table.h"
#include "common/pipelines/knob_table.h"

namespace hone {
namespace {

struct KnobRow {
  std::string name;
  std::string values;
  std::string meaning;
};

std::string range_text(std::int64_t low, std::int64_t high) {
  return fmt::format("{} to {}", low, high);
}

std::vector<KnobRow> clang_rows(int major) {
  std::vector<KnobRow> rows;
  for (const KnobEntry& knob : knob_table()) {
    if (knob.majors.holds(major)) {
      rows.push_back({std::string(knob.name),
                      knob.kind == KnobKind::flag ? "true, false" : range_text(knob.low, knob.high),
                      std::string(knob.meaning)});
    }
  }
  return rows;
}

std::vector<KnobRow> gcc_rows() {
  std::vector<KnobRow> rows;
  for (const GccOption& option : gcc_option_table()) {
    const std::vector<std::string> words(option.words.begin(), option.words.end());
    rows.push_back({std::string(option.name),
                    option.kind == GccOptionKind::flag   ? "true, false"
                    : option.kind == GccOptionKind::word ? join(words, ", ")
                                                         : range_text(option.low, option.high),
                    option.kind == GccOptionKind::parameter ? "--param" : "option"});
  }
  return rows;
}

struct KnobOptions {
  std::string compiler = "clang";
  int major = 0;  // 0: 19, or 12 of GCC
};

Result<int> knobs(const CommandContext& context, const KnobOptions& options) {
  const bool gcc = options.compiler == "gcc";
  const int major = options.major != 0 ? options.major : gcc ? 12 : 19;
  std::vector<KnobRow> rows;
  if (!gcc) {
    rows = clang_rows(major);
  } else if (has_gcc_option_table(major)) {
    rows = gcc_rows();
  }
  if (rows.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("no knob of {} {} may be set by a policy", options.compiler, major));
  }
  if (context.json) {
    Json list = Json::array();
    for (const KnobRow& row : rows) {
      list.push_back({{"name", row.name}, {"values", row.values}, {"meaning", row.meaning}});
    }
    print_json(list);
    return 0;
  }
  TextTable table({{"knob"}, {"values", Align::left, 60}, {"what it is", Align::left, 100}});
  for (KnobRow& row : rows) {
    table.add({std::move(row.name), std::move(row.values), std::move(row.meaning)});
  }
  print(table.text());
  return 0;
}

}  // namespace

void add_policy_knobs(CLI::App& policy, CommandContext& context) {
  CLI::App* const command =
      policy.add_subcommand("knobs", "The settings that a policy may hold, with their values");
  const auto options = std::make_shared<KnobOptions>();
  command->add_option("--compiler", options->compiler, "Whose")
      ->check(CLI::IsMember({"clang", "gcc"}))
      ->capture_default_str();
  command
      ->add_option("--major", options->major, "The compiler's major version [default: 19, gcc 12]")
      ->check(CLI::Range(1, 999));
  command->callback([&context, options] {
    context.action = [&context, options] { return knobs(context, *options); };
  });
}

}  // namespace hone
