#include "build_integration/cli/learner_process.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/file.h"
#include "common/base/program_beside.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::chrono::seconds kPatience{5};

Result<std::filesystem::path> new_log() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  std::string name = (folder / "hone-learner-XXXXXX").string();
  const int made = ::mkstemp(name.data());
  if (error || made < 0) {
    return system_error("cannot write " + name, error ? error.value() : errno);
  }
  ::close(made);
  return std::filesystem::path(name);
}

}  // namespace

std::size_t blind_share(std::size_t candidates) {
  if (candidates <= kCandidatesOfAHeat) {
    return candidates;
  }
  const std::size_t heats = (candidates * 2 / 5 + kCandidatesOfAHeat / 2) / kCandidatesOfAHeat;
  return std::min(candidates, std::max<std::size_t>(heats, 1) * kCandidatesOfAHeat);
}

Result<LearnerProcess> LearnerProcess::start(const CommandContext& context,
                                             std::string_view campaign, std::size_t generation) {
  HONE_TRY(const std::filesystem::path program, program_beside_us("hone-learner"));
  HONE_TRY(std::filesystem::path log, new_log());
  std::vector<std::string> arguments = {program.string(), "propose", std::string(campaign),
                                        "--generation", std::to_string(generation)};
  const ClientFlags& server = context.server;
  const std::pair<const char*, const std::string&> given[] = {{"--url", server.url},
                                                              {"--token-file", server.token_file},
                                                              {"--ca", server.ca},
                                                              {"--cert", server.certificate},
                                                              {"--key", server.key}};
  for (const auto& [name, value] : given) {
    if (!value.empty()) {
      arguments.insert(arguments.end(), {name, value});
    }
  }
  Result<ChildProcess> child = ChildProcess::start(arguments, log);
  if (!child.has_value()) {
    std::error_code ignored;
    std::filesystem::remove(log, ignored);
    return child.error();
  }
  return LearnerProcess(*std::move(child), std::move(log));
}

LearnerProcess::LearnerProcess(LearnerProcess&& other) noexcept
    : child_(std::move(other.child_)),
      log_(std::exchange(other.log_, {})),
      told_(other.told_),
      ended_(other.ended_) {}

LearnerProcess::~LearnerProcess() {
  if (!log_.empty()) {
    child_.stop(kPatience);
    std::error_code ignored;
    std::filesystem::remove(log_, ignored);
  }
}

std::vector<std::string> LearnerProcess::news() {
  constexpr std::size_t kMaxLog = std::size_t{1} << 20U;
  std::vector<std::string> lines;
  const Result<std::string> log = read_file(log_, kMaxLog);
  if (!log || log->size() <= told_) {
    return lines;  // what it said is nothing that a campaign depends on
  }
  for (std::size_t end = log->find('\n', told_); end != std::string::npos;
       end = log->find('\n', told_)) {
    lines.push_back(log->substr(told_, end - told_));
    told_ = end + 1;
  }
  return lines;
}

std::optional<std::string> LearnerProcess::failure() {
  const std::optional<std::string> end = ended_ ? std::nullopt : child_.ended();
  if (!end) {
    return std::nullopt;
  }
  ended_ = true;
  if (child_.exit_code() == 0) {
    return std::nullopt;
  }
  const std::string tail = child_.log_tail(500);
  const std::string_view said = trim(tail);
  return fmt::format("hone-learner ended ({}){}{}", *end, said.empty() ? "" : ": ", said);
}

}  // namespace hone
