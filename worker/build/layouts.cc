#include "worker/build/layouts.h"

#include <algorithm>
#include <string_view>

#include "common/links/link_copies.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

static_assert(kMaxBenchmarkLinks == kMaxLinks);

constexpr std::string_view kBuild = "{build}/";

bool depends_on_layout(const TargetSpec& target) {
  const Metric metric = target.benchmark.metric.metric;
  return !is_repeatable(metric) && !is_of_build(metric);
}

// Why no build of this target is linked more than once; empty if it is.
std::string why_not_wanted(const TargetSpec& target, const Toolchain& toolchain) {
  if (!depends_on_layout(target)) {
    return "where the code lies makes no difference to the metric";
  }
  if (target.benchmark.links == 1) {
    return "benchmark.links is 1";
  }
  if (measured_program(target).empty()) {
    return "the benchmark's command does not begin with {build}/ and one of build.binaries";
  }
  if (toolchain.link_launcher.empty()) {
    return "this worker has no hone-link beside its launcher";
  }
  return "";
}

bool is_shared_library(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.ends_with(".so") || name.find(".so.") != std::string::npos;
}

}  // namespace

std::string measured_program(const TargetSpec& target) {
  const std::string first =
      target.benchmark.command.empty() ? std::string() : target.benchmark.command.front();
  if (!first.starts_with(kBuild)) {
    return {};
  }
  const fs::path program = fs::path(first.substr(kBuild.size())).lexically_normal();
  for (const std::string& binary : target.build.binaries) {
    if (fs::path(binary).lexically_normal() == program) {
      return program.string();
    }
  }
  return {};
}

bool wants_links(const TargetSpec& target, const Toolchain& toolchain) {
  return why_not_wanted(target, toolchain).empty();
}

std::vector<std::string> link_environment(const TargetSpec& target, const Toolchain& toolchain) {
  if (!wants_links(target, toolchain)) {
    return {};
  }
  return {"HONE_LINK_PROGRAM=" + measured_program(target),
          "HONE_LINK_COPIES=" + std::to_string(target.benchmark.links - 1)};
}

Layouts find_layouts(const TargetSpec& target, const Toolchain& toolchain, const fs::path& baseline,
                     const fs::path& candidate) {
  Layouts found;
  found.program = measured_program(target);
  if (!depends_on_layout(target)) {
    return found;  // one link, and nothing is missing
  }
  std::string why = why_not_wanted(target, toolchain);
  if (why.empty()) {
    const LinkCopies ours = read_link_copies(baseline / found.program);
    const LinkCopies theirs = read_link_copies(candidate / found.program);
    const std::size_t copies =
        std::min({ours.count, theirs.count, static_cast<std::size_t>(target.benchmark.links) - 1});
    found.count = copies + 1;
    const bool is_baselines = ours.count <= theirs.count;
    why = (is_baselines ? "the baseline's '" : "the candidate's '") + found.program +
          "': " + (is_baselines ? ours : theirs).why_not_more;
  }
  if (found.count == 1) {
    found.warnings.push_back(
        "one link of each program was measured: that its code lies elsewhere is not part of the "
        "error, only the place of its stack is drawn for each pair (" +
        why + ")");
  } else if (found.count < static_cast<std::size_t>(target.benchmark.links)) {
    found.warnings.push_back(std::to_string(found.count) +
                             " links of each program were measured, " + "not " +
                             std::to_string(target.benchmark.links) + " (" + why + ")");
  }
  if (found.count > 1 && std::ranges::any_of(target.build.binaries, is_shared_library)) {
    found.warnings.emplace_back("the links move the code of '" + found.program +
                                "'; that of the build's shared libraries lies where it lies");
  }
  return found;
}

fs::path layout_file(const Layouts& layouts, const fs::path& build, std::size_t number) {
  return number == 0 ? fs::path() : link_copy(build / layouts.program, number);
}

}  // namespace hone
