// hone-learner export, hone-learner import-states
#include <algorithm>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "common/base/file.h"
#include "common/base/printable.h"
#include "common/client/line_file.h"
#include "common/client/line_stream.h"
#include "server/learner/buffer/buffer_export.h"
#include "server/learner/buffer/state_import.h"
#include "server/learner/commands/command.h"
#include "server/learner/commands/server_options.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxCsvBytes = std::size_t{1} << 30U;

struct ExportOptions {
  ClientFlags server;
  std::string stream = "experiences";
  std::string format = "ndjson";
  std::string output;
  std::string since;
  std::uint64_t limit = 0;  // 0: none
  std::string observation = "Autophase";
  std::string reward = "IrInstructionCountOz";
};

// All that honed has behind the file's cursor is written to its end.
Result<std::uint64_t> fetch(const LearnerContext& context, const ExportOptions& options,
                            const fs::path& path) {
  HONE_TRY(ClientOptions server, resolve_client_options(options.server));
  HONE_TRY(const Client client, Client::create(std::move(server)));
  HONE_TRY(LineFile file, LineFile::open(path));
  if (!options.since.empty() && file.cursor().empty()) {
    HONE_CHECK(file.append("", options.since));
  } else if (!options.since.empty() && options.since != file.cursor()) {
    return fail(ErrorCode::conflict,
                fmt::format("{} goes on behind its own cursor '{}', not behind --since '{}': leave "
                            "--since out, or name another --output",
                            path.string(), file.cursor(), options.since));
  }
  std::uint64_t rows = 0;
  const LineSink append = [&](std::string_view lines, const std::string& cursor) -> Result<bool> {
    const auto come = static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
    if (options.limit == 0 || rows + come < options.limit) {
      HONE_CHECK(file.append(lines, cursor));
      rows += come;
      return true;
    }
    std::size_t end = 0;
    std::size_t last = 0;
    for (; rows < options.limit; ++rows) {
      last = end;
      end = lines.find('\n', end) + 1;
    }
    HONE_CHECK(file.append(lines.substr(0, end),
                           std::string(cursor_of_line(lines.substr(last, end - last)))));
    return false;
  };
  Result<void> read =
      read_lines(client, options.stream == "experiences" ? "/v1/experiences" : "/v1/transitions",
                 file.cursor(), append, context.stop);
  if (!read && read.error().code == ErrorCode::cancelled) {
    return fail(ErrorCode::cancelled, "stopped; the same command goes on from here");
  }
  if (!read && read.error().code == ErrorCode::invalid_argument) {
    return read.error().within(path.string());  // where the cursor is from
  }
  HONE_CHECK(std::move(read));
  return rows;
}

Result<void> export_buffer(const LearnerContext& context, const ExportOptions& options) {
  const fs::path folder = options.output;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return system_error("cannot make " + folder.string(), error.value());
  }
  const bool experiences = options.stream == "experiences";
  if (options.format == "rows" && !experiences) {
    return fail(ErrorCode::invalid_argument,
                "--format rows is of --stream experiences; of transitions there are ndjson, rllib");
  }
  const fs::path ndjson = folder / (options.stream + ".ndjson");
  HONE_TRY(const std::uint64_t rows, fetch(context, options, ndjson));
  Result<std::string> made =
      experiences ? experience_card(ndjson, context.stop) : session_card(ndjson, context.stop);
  HONE_TRY(const std::string card, std::move(made));
  HONE_CHECK(write_file_atomically(folder / (options.stream + ".card.md"), card, 0644));
  fmt::print("{}: {} new lines; {}.card.md tells what is in it\n", ndjson.string(), rows,
             options.stream);
  if (options.format == "rows") {
    const fs::path file = folder / "rows.ndjson";
    HONE_TRY(const ExportCounts counts, export_experience_rows(ndjson, file, context.stop));
    fmt::print("{}: {} rows; {} experiences without a reward are not there\n", file.string(),
               counts.rows, counts.without_reward);
  } else if (options.format == "rllib") {
    const fs::path batches = folder / ("rllib-" + options.stream);
    Result<ExportCounts> written =
        experiences ? export_experience_batches(ndjson, batches, context.stop)
                    : export_session_batches(ndjson, batches, options.observation, options.reward,
                                             context.stop);
    HONE_TRY(const ExportCounts counts, std::move(written));
    fmt::print("{}: {} rows in {} batches, {} of them without a reward (reward_known 0)\n",
               batches.string(), counts.rows, counts.batches, counts.without_reward);
  }
  return {};
}

struct ImportOptions {
  std::string file;
  std::string output;
};

Result<void> import_file(const ImportOptions& options) {
  HONE_TRY(const std::string text, read_file(options.file, kMaxCsvBytes));
  Result<StateImport> read = import_states(text);
  if (!read) {
    return read.error().within(options.file);
  }
  const StateImport& import = *read;
  for (const std::string& refused : import.refused) {
    fmt::print(stderr, "{}: {}\n", options.file, printable(refused));
  }
  HONE_CHECK(write_file_atomically(options.output, import.lines, 0644));
  fmt::print("{}: {} states, {} lines refused\n", options.output, import.accepted,
             import.refused.size());
  if (!import.refused.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} of the lines in {} are no states; the others are in {}",
                            import.refused.size(), options.file, options.output));
  }
  return {};
}

}  // namespace

void add_export(CLI::App& app, LearnerContext& context) {
  CLI::App* const exporting = app.add_subcommand(
      "export", "Write the replay buffer, or what came since, to a folder, with a data card");
  const auto options = std::make_shared<ExportOptions>();
  exporting->add_option("--output", options->output, "Folder; the same one goes on")->required();
  exporting
      ->add_option("--stream", options->stream, "experiences, or transitions of compile sessions")
      ->check(CLI::IsMember({"experiences", "transitions"}))
      ->capture_default_str();
  exporting
      ->add_option("--format", options->format,
                   "ndjson; as well: rllib, RLlib's JSON sample batches in a folder within; rows, "
                   "those with a reward as train --rows takes them")
      ->check(CLI::IsMember({"ndjson", "rllib", "rows"}))
      ->capture_default_str();
  exporting->add_option("--since", options->since, "Begin behind this cursor");
  exporting->add_option("--limit", options->limit, "New lines at most")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 53U));
  exporting
      ->add_option("--observation", options->observation,
                   "rllib, transitions: the observation space that becomes obs")
      ->capture_default_str();
  exporting->add_option("--reward", options->reward, "rllib, transitions: the reward space")
      ->capture_default_str();
  add_server_options(*exporting, options->server);
  exporting->callback([&context, options] {
    context.action = [&context, options] { return export_buffer(context, *options); };
  });
}

void add_import_states(CLI::App& app, LearnerContext& context) {
  CLI::App* const importing = app.add_subcommand(
      "import-states", "Turn CompilerGym's states (CSV) into lines that can be learned from");
  const auto options = std::make_shared<ImportOptions>();
  importing->add_option("file", options->file, "benchmark,reward,walltime,commandline")->required();
  importing->add_option("--output", options->output, "The lines, NDJSON")->required();
  importing->callback(
      [&context, options] { context.action = [options] { return import_file(*options); }; });
}

}  // namespace hone
