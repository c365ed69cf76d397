#include "worker/run/sanitized_baseline.h"

#include <algorithm>
#include <mutex>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/json/object_reader.h"
#include "worker/artifacts/folders.h"
#include "worker/artifacts/stoppable_lock.h"
#include "worker/build/sanitizers.h"
#include "worker/run/readable_text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFile = std::size_t{1} << 20U;
constexpr std::size_t kLongestReason = 2000;

fs::path note_of(const Workspace& workspace) {
  return workspace.folder() / "sanitized.json";
}

// What was found out before; an error stands for every reason to find out now.
Result<SanitizedBaseline> read_note(const fs::path& file) {
  HONE_TRY(const std::string text, read_file(file, kMaxFile));
  HONE_TRY(const Json document, parse_json(text, {.bytes = kMaxFile}));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  SanitizedBaseline known;
  known.why_none = reader.text("why_none", {.min_size = 0, .max_size = kMaxFile});
  if (const std::optional<Error> error = problems.as_error("sanitized.json")) {
    return *error;
  }
  return known;
}

Result<SanitizedBaseline> build_baseline(Workspace& workspace, const WorkspaceContext& context,
                                         int slot, StepLog& log, const std::stop_token& stop) {
  const ExtraBuild wanted = sanitized_build(workspace, context, kSanitizedBaseline, slot);
  HONE_TRY(const BuildReport report, build_extra(workspace, context, wanted, log, stop));
  remove_extra(workspace, kSanitizedBaseline,
               report.end == BuildEnd::ok ? BuildFolder::keep : BuildFolder::remove);
  if (report.end == BuildEnd::unavailable) {
    return fail(ErrorCode::unavailable, report.reason);
  }
  SanitizedBaseline made;
  if (report.end != BuildEnd::ok) {
    made.why_none = readable_text(report.reason, kLongestReason);
  } else if (context.users.of(slot).run_as) {
    // Every slot runs it, and none may change what the next one compares with.
    HONE_CHECK(take_tree(extra_build_folder(workspace, kSanitizedBaseline), context.stopping));
  }
  if (report.end == BuildEnd::timed_out || report.end == BuildEnd::stopped) {
    return made;
  }
  HONE_CHECK(
      write_file_atomically(note_of(workspace), dump_json(Json{{"why_none", made.why_none}})));
  log_info("sanitized_baseline",
           {{"target", workspace.target().name}, {"why_none", made.why_none}});
  return made;
}

}  // namespace

ExtraBuild sanitized_build(const Workspace& workspace, const WorkspaceContext& context,
                           const std::string& name, int slot) {
  const std::vector<Sanitizer>& sanitizers = workspace.target().benchmark.sanitize;
  ExtraBuild build;
  build.name = name;
  build.slot = slot;
  // What the build makes and runs, a generator for instance, is built with them, too.
  build.environment = sanitizer_environment(sanitizers, 0);
  build.variant.flags = sanitizer_flags(sanitizers, extra_build_folder(workspace, name));
  build.variant.limit_address_space = !reserve_address_space(sanitizers);
  build.jobs = std::max(1, context.build_jobs);
  return build;
}

Result<SanitizedBaseline> prepare_sanitized_baseline(Workspace& workspace,
                                                     const WorkspaceContext& context, int slot,
                                                     StepLog& log, const std::stop_token& stop) {
  const std::unique_lock lock = lock_unless_stopped(workspace.extra_mutex(), stop);
  if (!lock) {
    return SanitizedBaseline{};
  }
  std::error_code error;
  Result<SanitizedBaseline> known = read_note(note_of(workspace));
  const bool lost = known && known->why_none.empty() &&
                    !fs::exists(extra_build_folder(workspace, kSanitizedBaseline), error);
  return known && !lost ? known : build_baseline(workspace, context, slot, log, stop);
}

}  // namespace hone
