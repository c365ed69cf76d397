// hone env log export FILE: the coordinator's log of compile sessions, and its data card.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/command_env.h"
#include "common/base/file.h"
#include "common/client/line_file.h"
#include "common/client/line_stream.h"
#include "common/client/log_card.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string file;
  std::string card;  // empty: beside the file
};

// All that the coordinator has behind the file's cursor.
Result<std::uint64_t> fetch(const CommandContext& context, const Client& client, LineFile& file) {
  std::uint64_t count = 0;
  const LineSink append = [&](std::string_view lines, const std::string& cursor) -> Result<bool> {
    HONE_CHECK(file.append(lines, cursor));
    count += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
    return true;
  };
  Result<void> read = read_lines(client, "/v1/transitions", file.cursor(), append, context.stop);
  if (!read && read.error().code == ErrorCode::cancelled) {
    return fail(ErrorCode::cancelled, "stopped; the same command goes on from here");
  }
  HONE_CHECK(std::move(read));
  return count;
}

// Of the whole file, what came by earlier exports included.
Result<LogCard> card_of(const fs::path& path) {
  std::ifstream file(path);
  if (!file) {
    return fail(ErrorCode::io_failed, "cannot read " + path.string());
  }
  LogCard card;
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (const Result<void> added = card.add(line); !added) {
      return added.error().within(path.string() + ":" + std::to_string(number));
    }
  }
  return card;
}

Result<int> export_log(const CommandContext& context, const ExportOptions& options) {
  HONE_TRY(const Client client, context.client());
  const fs::path path = options.file;
  const fs::path card_path =
      options.card.empty() ? fs::path(path).replace_extension(".card.md") : fs::path(options.card);
  if (card_path == path) {
    return fail(ErrorCode::invalid_argument,
                "--card '" + card_path.string() + "' must be another file than the log");
  }
  HONE_TRY(LineFile file, LineFile::open(path));
  HONE_TRY(const std::uint64_t lines, fetch(context, client, file));
  HONE_TRY(const LogCard card, card_of(path));
  HONE_CHECK(write_file_atomically(card_path, card.markdown(), 0644));
  if (context.json) {
    print_json({{"file", path.string()},
                {"card", card_path.string()},
                {"new_lines", lines},
                {"lines", card.lines()},
                {"cursor", file.cursor()}});
  } else {
    print(fmt::format("{}: {} lines, {} of them new; {} tells what is in it\n", path.string(),
                      card.lines(), lines, card_path.string()));
  }
  return 0;
}

}  // namespace

void add_env_log(CLI::App& env, CommandContext& context) {
  CLI::App* const log = env.add_subcommand("log", "The coordinator's log of compile sessions");
  log->require_subcommand(1);
  CLI::App* const exporting = log->add_subcommand(
      "export", "Write it to a file, or what came since to the same file, with a data card");
  const auto options = std::make_shared<ExportOptions>();
  exporting->add_option("file", options->file, "NDJSON, a line a step; FILE.cursor stays beside it")
      ->required();
  exporting->add_option("--card", options->card,
                        "Where the data card goes (Markdown) [the file with .card.md]");
  exporting->callback([&context, options] {
    context.action = [&context, options] { return export_log(context, *options); };
  });
}

}  // namespace hone
