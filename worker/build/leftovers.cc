#include "worker/build/leftovers.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/log.h"
#include "common/base/remove_tree.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// "build-s003", "step-p000.log": whose it is stands behind the last dash.
std::string_view name_in(std::string_view file) {
  file = file.substr(0, file.find('.'));
  const std::size_t dash = file.rfind('-');
  return dash == std::string_view::npos ? std::string_view() : file.substr(dash + 1);
}

// The number of a name such as s003; -1 for others.
int number_of(std::string_view name) {
  int number = -1;
  if (name.size() != 4 ||
      !std::ranges::all_of(name.substr(1), [](char c) { return c >= '0' && c <= '9'; })) {
    return -1;
  }
  std::from_chars(name.data() + 1, name.data() + name.size(), number);
  return number;
}

bool is_left_over(std::string_view file, int slots, bool has_sanitized_baseline) {
  if (file.starts_with("kept-")) {
    return true;
  }
  const std::string_view name = name_in(file);
  if (name == "sanb") {
    return !has_sanitized_baseline;
  }
  const int number = number_of(name);
  if (number < 0) {
    return false;
  }
  const char kind = name.front();
  return kind == 'a' || kind == 'c' || kind == 'p' || (kind == 's' && number >= slots);
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(at->path());
  }
  return entries;
}

void clean(const fs::path& workspace, int slots, const std::stop_token& stop) {
  std::error_code ignored;  // then it is as if it were not there: it is made anew
  const bool sanitized = fs::exists(workspace / "sanitized.json", ignored);
  for (const fs::path& entry : entries_of(workspace)) {
    if (stop.stop_requested()) {
      return;
    }
    if (!is_left_over(entry.filename().string(), slots, sanitized)) {
      continue;
    }
    if (const Result<void> removed = remove_tree(entry, stop); !removed) {
      log_warning("leftover_not_removed", {{"why", removed.error().message}});
    } else {
      log_info("leftover_removed", {{"path", entry.string()}});
    }
  }
}

}  // namespace

void remove_leftovers(const fs::path& targets, int slots, const std::stop_token& stop) {
  for (const fs::path& target : entries_of(targets)) {
    for (const fs::path& workspace : entries_of(target)) {
      clean(workspace, slots, stop);
    }
  }
}

}  // namespace hone
