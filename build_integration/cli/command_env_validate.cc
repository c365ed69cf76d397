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
#include "build_integration/cli/ordered_validation.h"
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
  std::string sanitize;
  std::size_t jobs = 1;
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
    stream << printable_json(dump_json(to_json(result))) << "\n" << std::flush;
    if (!stream) {
      return fail(ErrorCode::io_failed, file + " cannot be written");
    }
  }
  return {};
}

// What is told of the states, in their order.
class Report {
 public:
  static Result<Report> create(const CommandContext& context, const ValidateOptions& options) {
    Report report(context, options);
    if (!options.records.empty()) {
      report.records_.open(options.records, std::ios::trunc);
      if (!report.records_) {
        return fail(ErrorCode::io_failed, options.records + " cannot be written");
      }
    }
    return report;
  }

  void add_unreadable(const FileRow& row) {
    summary_.add_unreadable();
    complain(row, row.row.state.error().describe());
  }

  Result<void> add(const FileRow& row, const ValidationResult& result) {
    summary_.add(result);
    HONE_CHECK(write_record(records_, options_->records, result));
    if (!result.ok()) {
      complain(row, error_details(result));
    }
    if (context_->json) {
      documents_.push_back(to_json(result));
    } else if (!options_->summary_only) {
      print(validation_line(result) + "\n");
    }
    return {};
  }

  int end() {
    if (context_->json) {
      print_json({{"results", std::move(documents_)}, {"summary", summary_.json()}});
    } else {
      print(summary_.text());
    }
    return summary_.unreadable() > 0 ? exit_code(ErrorCode::invalid_argument)
           : summary_.failed() > 0   ? kExitFailed
                                     : kExitOk;
  }

 private:
  Report(const CommandContext& context, const ValidateOptions& options)
      : context_(&context),
        options_(&options),
        summary_(options.reward, options.aggregation == "geomean") {}

  static void complain(const FileRow& row, const std::string& what) {
    fmt::print(stderr, "hone: {}: line {}: {}\n", row.file, row.row.line, printable(what));
  }

  const CommandContext* context_;
  const ValidateOptions* options_;
  std::ofstream records_;
  ValidationSummary summary_;
  Json documents_ = Json::array();
};

Result<ValidatorSettings> settings_of(const ValidateOptions& options) {
  ValidatorSettings settings;
  const std::optional<RewardSpace> reward = parse_reward_space(options.reward);
  if (!reward) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--reward '{}' is not one of {}", options.reward, kRewardSpaceChoices));
  }
  if (reward->cost == Cost::runtime) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--reward '{}': {}", options.reward, kRuntimeVaries));
  }
  settings.reward = *reward;
  if (!options.sanitize.empty()) {
    Result<std::vector<Sanitizer>> sanitizers = parse_sanitizers(options.sanitize);
    if (!sanitizers) {
      return sanitizers.error().within("--sanitize");
    }
    settings.sanitizers = *std::move(sanitizers);
  }
  return settings;
}

// A session server, programs and all else of its own. The validator points to the loader.
struct Validating {
  ProgramLoader programs;
  std::optional<StateValidator> validator;
};
Result<std::shared_ptr<Validating>> make_validating(const CommandContext& context,
                                                    const ValidateOptions& options,
                                                    const ValidatorSettings& settings) {
  HONE_TRY(ProgramLoader programs, env_programs(options.datasets, context.stop));
  HONE_TRY(SessionClient client, start_sessions());
  auto made = std::make_shared<Validating>(Validating{std::move(programs), {}});
  made->validator.emplace(std::move(client), made->programs, settings, context.stop);
  return made;
}

Result<int> validate(const CommandContext& context, const ValidateOptions& options) {
  HONE_TRY(const ValidatorSettings settings, settings_of(options));
  HONE_TRY(const std::vector<FileRow> rows, rows_of(options.files));
  HONE_TRY(Report report, Report::create(context, options));
  std::vector<const FileRow*> readable;
  for (const FileRow& row : rows) {
    if (row.row.state) {
      readable.push_back(&row);
    }
  }
  std::vector<StateTask> tasks;
  for (std::size_t i = 0; i < std::min(options.jobs, std::max<std::size_t>(readable.size(), 1));
       ++i) {
    HONE_TRY(const std::shared_ptr<Validating> one, make_validating(context, options, settings));
    tasks.emplace_back([one, &readable](std::size_t index) {
      return one->validator->validate(*readable[index]->row.state);
    });
  }
  // Rows that can not be read are told where they stand.
  const FileRow* next = rows.data();
  const auto tell_unreadable = [&](const FileRow* until) {
    for (; next != until; ++next) {
      if (!next->row.state) {
        report.add_unreadable(*next);
      }
    }
  };
  const auto tell = [&](std::size_t index, const ValidationResult& result) -> Result<void> {
    tell_unreadable(readable[index]);
    return report.add(*readable[index], result);
  };
  const Result<void> told = validate_in_order(tasks, readable.size(), tell, context.stop);
  if (!told && told.error().code == ErrorCode::cancelled) {
    return kExitCancelled;
  }
  HONE_CHECK(told);
  tell_unreadable(rows.data() + rows.size());
  return report.end();
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
  validating->add_option("--sanitize", options->sanitize,
                         "Also run programs with these sanitizers' checks: address, undefined");
  validating->add_option("--jobs", options->jobs, "States validated at once")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
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
