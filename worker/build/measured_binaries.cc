#include "worker/build/measured_binaries.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr std::size_t kMaxFile = std::size_t{64} << 20U;

// What a line says, if it is a whole one.
struct Line {
  std::string key;
  MeasuredBinary measured;
};
std::optional<Line> read_line(std::string_view text) {
  const Result<Json> document = parse_json(text);
  if (!document) {
    return std::nullopt;
  }
  Problems problems;
  ObjectReader reader(*document, "", problems, UnknownKeys::ignore);
  Line line;
  MeasuredBinary& measured = line.measured;
  line.key = reader.text("key");
  measured.attempt = reader.text("attempt");
  measured.verdict = reader.one_of<Verdict>("verdict", parse_verdict, kVerdictChoices);
  reader.object("reward", [&](ObjectReader& nested) { measured.reward = read_reward(nested); });
  return problems.empty() ? std::optional(std::move(line)) : std::nullopt;
}

}  // namespace

std::optional<MeasuredBinary> MeasuredBinaries::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const Result<std::string> text = read_file(file_, kMaxFile);
  if (!text || key.empty()) {
    return std::nullopt;
  }
  for (const std::string_view line : split(*text, '\n')) {
    if (line.find(key) == std::string_view::npos) {
      continue;
    }
    std::optional<Line> known = read_line(line);
    if (known && known->key == key) {
      return std::move(known->measured);
    }
  }
  return std::nullopt;
}

Result<void> MeasuredBinaries::add(const std::string& key, const MeasuredBinary& measured) {
  const std::lock_guard lock(mutex_);
  const Json document = {{"key", key},
                         {"attempt", measured.attempt},
                         {"verdict", std::string(to_string(measured.verdict))},
                         {"reward", to_json(measured.reward)}};
  // The line end comes first, so that a line cut short by a crash cannot spoil this one.
  const std::string line = "\n" + dump_json(document) + "\n";
  const UniqueFd file(open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file || write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return system_error("cannot write " + file_.string(), errno);
  }
  return {};
}

Result<bool> MeasuredBinaries::forget(const std::string& attempt) {
  const std::lock_guard lock(mutex_);
  const Result<std::string> text = read_file(file_, kMaxFile);
  if (!text && text.error().code == ErrorCode::not_found) {
    return false;
  }
  HONE_TRY(const std::string all, text);
  std::string kept;
  bool found = false;
  for (const std::string_view line : split(all, '\n')) {
    const std::optional<Line> known = read_line(line);
    if (known && known->measured.attempt == attempt) {
      found = true;
    } else if (known) {
      kept.append(line).push_back('\n');
    }
  }
  if (found) {
    HONE_CHECK(write_file_atomically(file_, kept, 0600));
  }
  return found;
}

}  // namespace hone
