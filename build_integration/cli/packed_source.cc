#include "build_integration/cli/packed_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "build_integration/cli/tracked_files.h"
#include "common/archive/pack.h"
#include "common/base/printable.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kNamedOnes = 5;

// The files that a benchmark reads: inputs are often too large for git, or made.
std::vector<std::string> named_files(const TargetSpec& target) {
  std::vector<std::string> names;
  for (const auto& input : target.benchmark.inputs) {
    names.push_back(std::filesystem::path(input.file).lexically_normal().generic_string());
  }
  for (const auto& check : target.benchmark.checks) {
    if (!check.file.empty()) {
      names.push_back(std::filesystem::path(check.file).lexically_normal().generic_string());
    }
  }
  return names;
}

std::string left_note(const std::set<std::string, std::less<>>& others) {
  std::vector<std::string> shown;
  for (const std::string& name : others) {
    if (shown.size() == kNamedOnes) {
      shown.emplace_back("...");
      break;
    }
    shown.push_back(printable(name));
  }
  return fmt::format(
      "{} file{} that git does not track {} left out ({}): `git add` what the product needs, or "
      "give --all-files",
      others.size(), others.size() == 1 ? "" : "s", others.size() == 1 ? "was" : "were",
      join(shown, ", "));
}

}  // namespace

Result<PackedSource> pack_source(const std::filesystem::path& folder,
                                 const std::filesystem::path& archive, const TargetSpec& target,
                                 const PackOptions& options, const std::stop_token& stop) {
  PackSelection selection;
  selection.exclude = {target.name + ".policy*", "hone.policy*"};
  selection.secrets = options.secrets;
  std::set<std::string, std::less<>> others;
  if (!options.all_files) {
    HONE_TRY(std::optional<TrackedFiles> files, tracked_files(folder, stop));
    if (files) {
      others = std::move(files->others);
      for (const std::string& name : named_files(target)) {
        others.erase(name);
        files->tracked.insert(name);
      }
      // What would be left out in any case is missed by nobody.
      std::erase_if(others, [&](const std::string& name) {
        return std::any_of(selection.exclude.begin(), selection.exclude.end(),
                           [&](const std::string& glob) { return matches_glob(glob, name); });
      });
      selection.only = std::move(files->tracked);
    }
  }
  HONE_TRY(const PackReport packed, pack_folder(folder, archive, selection, {}, stop));
  PackedSource source{packed.sha256, {}};
  if (!others.empty()) {
    source.notes.push_back(left_note(others));
  }
  for (const LeftSecret& secret : packed.secrets) {
    source.notes.push_back(fmt::format(
        "{} was left out: it is or holds {}, and whoever may read the target may download its "
        "source (--include-secret '{}' packs it all the same)",
        printable(secret.name), secret.kind, printable(secret.name)));
  }
  return source;
}

}  // namespace hone
