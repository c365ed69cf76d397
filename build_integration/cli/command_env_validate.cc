// hone env validate [FILE...]
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/command_env.h"
#include "build_integration/cli/env_programs.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/state_validator.h"
#include "build_integration/cli/validation_summary.h"
#include "common/base/file.h"
#include "common/base/printable.h"

namespace hone {
namespace {

constexpr std::size_t kMaxStateBytes = std::size_t{256} << 20U;

struct ValidateOptions {
  std::vector<std::string> files;
  std::vector<std::string> datasets;
  std::string reward = "IrInstructionCountOz";
  std::string aggregation = "geomean";
  std::string records;
  bool summary_only = false;
};

struct FileRow {
  std::string file;
  StateRow row;
};

Result<std::string> text_of(const std::string& file) {
  if (file != "-") {
    return read_file(file, kMaxStateBytes);
  }
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  if (text.size() > kMaxStateBytes) {
    return fail(ErrorCode::too_large, fmt::format("{} bytes of states, at most {} are read",
                                                  text.size(), kMaxStateBytes));
  }
  return text;
}

Result<std::vector<FileRow>> rows_of(const std::vector<std::string>& files) {
  std::vector<FileRow> rows;
  for (const std::string& file : files) {
    const std::string shown = file == "-" ? "standard input" : file;
    HONE_TRY(const std::string text, text_of(file));
    Result<std::vector<StateRow>> read = read_states(text);
    if (!read) {
      return read.error().within(shown);
    }
    for (StateRow& row : *read) {
      rows.push_back({shown, std::move(row)});
    }
  }
  if (rows.empty()) {
    return fail(ErrorCode::invalid_argument, "there is no state below the header");
  }
  return rows;
}

// Every record as it comes, so that those of a run that was interrupted are there.
Result<void> write_record(std::ofstream& stream, const std::string& file,
                          const ValidationResult& result) {
  if (stream.is_open()) {
    stream << dump_json(to_json(result)) << "\n" << std::flush;
    if (!stream) {
      return fail(ErrorCode::io_failed, file + " cannot be written");
    }
  }
  return {};
}

Result<int> validate(const CommandContext& context, const ValidateOptions& options) {
  const std::optional<RewardSpace> reward = parse_reward_space(options.reward);
  if (!reward) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--reward '{}' is not one of {}", options.reward, kRewardSpaceChoices));
  }
  HONE_TRY(const std::vector<FileRow> rows, rows_of(options.files));
  HONE_TRY(ProgramLoader programs, env_programs(options.datasets, context.stop));
  HONE_TRY(SessionClient client, start_sessions());
  StateValidator validator(std::move(client), programs, *reward, context.stop);
  std::ofstream records;
  if (!options.records.empty()) {
    records.open(options.records, std::ios::trunc);
    if (!records) {
      return fail(ErrorCode::io_failed, options.records + " cannot be written");
    }
  }
  ValidationSummary summary(options.reward, options.aggregation == "geomean");
  Json documents = Json::array();
  for (const auto& [file, row] : rows) {
    if (context.stop.stop_requested()) {
      return kExitCancelled;
    }
    if (!row.state) {
      summary.add_unreadable();
      fmt::print(stderr, "hone: {}: line {}: {}\n", file, row.line,
                 printable(row.state.error().describe()));
      continue;
    }
    HONE_TRY(const ValidationResult result, validator.validate(*row.state));
    summary.add(result);
    HONE_CHECK(write_record(records, options.records, result));
    if (!result.ok()) {
      fmt::print(stderr, "hone: {}: line {}: {}\n", file, row.line,
                 printable(error_details(result)));
    }
    if (context.json) {
      documents.push_back(to_json(result));
    } else if (!options.summary_only) {
      print(validation_line(result) + "\n");
    }
  }
  if (context.json) {
    print_json({{"results", std::move(documents)}, {"summary", summary.json()}});
  } else {
    print(summary.text());
  }
  return summary.unreadable() > 0 ? exit_code(ErrorCode::invalid_argument)
         : summary.failed() > 0   ? kExitFailed
                                  : kExitOk;
}

}  // namespace

void add_env_validate(CLI::App& env, CommandContext& context) {
  CLI::App* const validating = env.add_subcommand(
      "validate", "Replay states of CompilerGym's CSV (benchmark,reward,walltime,commandline)");
  const auto options = std::make_shared<ValidateOptions>();
  validating->add_option("files", options->files, "CSV files; - is standard input [-]");
  validating->add_option("--reward", options->reward, std::string(kRewardSpaceChoices))
      ->capture_default_str();
  validating
      ->add_option(
          "--reward-aggregation", options->aggregation,
          "How the summary tells the mean reward: geomean (of rewards below 0 as 0) or mean")
      ->check(CLI::IsMember({"geomean", "mean"}))
      ->capture_default_str();
  validating->add_option("--records", options->records,
                         "File for CompilerGym's ValidationResult of each state, JSON lines");
  validating->add_flag("--summary-only", options->summary_only, "No line for each state");
  add_dataset_option(*validating, options->datasets);
  validating->callback([&context, options] {
    if (options->files.empty()) {
      options->files = {"-"};
    }
    context.action = [&context, options] { return validate(context, *options); };
  });
}

}  // namespace hone
