// hone artifact gc
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/command_context.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

struct Collection {
  std::int64_t days = 0;
  std::int64_t artifacts = 0;
  std::int64_t bytes = 0;
  std::int64_t failed = 0;
  bool more = false;
};

Result<Collection> parse_collection(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  constexpr std::int64_t kMost = std::int64_t{1} << 53U;
  Collection collection;
  collection.days = reader.integer("unused_days", 0, kMost);
  collection.artifacts = reader.integer("artifacts", 0, kMost);
  collection.bytes = reader.integer("bytes", 0, kMost);
  collection.failed = reader.optional_integer("failed", 0, kMost).value_or(0);
  collection.more = reader.optional_truth("more").value_or(false);
  if (auto error = problems.as_error("answer")) {
    return *std::move(error);
  }
  return collection;
}

Result<int> collect(const CommandContext& context, bool dry_run) {
  HONE_TRY(const Client client, context.client());
  Json wish = Json::object();
  wish["dry_run"] = dry_run;
  Collection all;
  Json answer;
  do {
    // Asking twice removes nothing more than asking once.
    RequestOptions options;
    options.retry = Retry::always;
    options.timeout = std::chrono::minutes(10);
    options.stop = context.stop;
    Result<Json> said = client.post("/v1/artifacts/gc", wish, options);
    HONE_CHECK(said);
    answer = *std::move(said);
    HONE_TRY(const Collection one, parse_collection(answer));
    all.days = one.days;
    all.more = one.more;
    all.artifacts += one.artifacts;
    all.bytes += one.bytes;
    all.failed += one.failed;
  } while (all.more && !context.stop.stop_requested());
  if (context.json) {
    answer["artifacts"] = all.artifacts;
    answer["bytes"] = all.bytes;
    answer["failed"] = all.failed;
    print_json(answer);
  } else if (all.days == 0) {
    print("Nothing is collected here: honed runs with --artifact-days 0.\n");
  } else {
    print(
        fmt::format("{} {} artifact{} of {} bytes, which nobody refers to and nobody used for {} "
                    "days.\n",
                    dry_run ? "There are" : "Removed", all.artifacts, all.artifacts == 1 ? "" : "s",
                    all.bytes, all.days));
  }
  if (all.failed > 0) {
    return fail(ErrorCode::unavailable,
                fmt::format("{} could not be removed: the log of honed says why", all.failed));
  }
  return 0;
}

}  // namespace

void add_artifact(CLI::App& app, CommandContext& context) {
  CLI::App* const artifact = app.add_subcommand("artifact", "Uploaded files");
  artifact->require_subcommand(1);
  CLI::App* const gc = artifact->add_subcommand(
      "gc", "Remove those that nobody refers to and nobody used lately (honed does it every hour)");
  const auto dry_run = std::make_shared<bool>(false);
  gc->add_flag("--dry-run", *dry_run, "Only say how many there are");
  gc->callback([&context, dry_run] {
    context.action = [&context, dry_run] { return collect(context, *dry_run); };
  });
}

}  // namespace hone
