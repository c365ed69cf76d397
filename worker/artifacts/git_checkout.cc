#include "worker/artifacts/git_checkout.h"

#include <algorithm>

#include "common/base/file.h"
#include "common/base/subprocess.h"
#include "common/base/text.h"
#include "worker/artifacts/watched_run.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

bool is_commit(std::string_view text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

constexpr std::uint64_t kMemory = std::uint64_t{4} << 30U;
constexpr std::uint64_t kProcesses = 512;
constexpr std::uint64_t kFileSize = std::uint64_t{4} << 30U;

// Where a repository of this machine lies; empty for one of the network.
fs::path local_path(std::string_view url) {
  constexpr std::string_view kScheme = "file://";
  if (url.starts_with(kScheme)) {
    url.remove_prefix(kScheme.size());
  }
  return url.starts_with('/') ? fs::path(url) : fs::path();
}

class Git {
 public:
  Git(const GitSource& source, const fs::path& folder, const GitSettings& settings,
      const std::stop_token& stop)
      : folder_(folder),
        settings_(settings),
        stop_(stop),
        end_(std::chrono::steady_clock::now() + settings.time_limit) {
    view_.readable = {local_path(source.url)};
    view_.writable = {folder, settings.home};
    view_.network = NetworkUse::open;
    view_.memory_bytes = kMemory;
  }

  // Standard output of `git ARGUMENTS`.
  Result<std::string> run(std::vector<std::string> arguments, const char* protocols) const {
    Command command;
    command.arguments = {"git"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin",
                           "HOME=" + settings_.home.string(),
                           "LANG=C",
                           "GIT_CONFIG_NOSYSTEM=1",
                           "GIT_TERMINAL_PROMPT=0",
                           "GIT_ASKPASS=/bin/false",
                           std::string("GIT_ALLOW_PROTOCOL=") + protocols};
    command.working_folder = folder_;
    command.run_as = settings_.user.run_as;
    command.limits.wall_time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(end_ - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration(1)));
    command.limits.processes = kProcesses;
    command.limits.file_size_bytes = kFileSize;
    const Result<SandboxReport> ran =
        run_watched(command, settings_.sandbox, view_, settings_.disk, stop_);
    if (!ran) {
      Error error = ran.error();
      error.code = ErrorCode::io_failed;  // this machine's trouble, having no git too
      return error;
    }
    const RunReport& report = ran->run;
    if (report.ok()) {
      return report.stdout_text;
    }
    if (report.end == RunEnd::stopped) {
      return fail(ErrorCode::cancelled, "git was stopped on request");
    }
    const ErrorCode code =
        report.end == RunEnd::timed_out ? ErrorCode::timed_out : ErrorCode::unavailable;
    const std::string limit = ran->limit_met.empty() ? "" : ran->limit_met + ", ";
    return fail(code, "git " + arguments.front() + ": " + limit + report.describe_end() + ": " +
                          std::string(trim(report.stderr_text)).substr(0, 2000));
  }

 private:
  const fs::path& folder_;
  const GitSettings& settings_;
  const std::stop_token& stop_;
  SandboxView view_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

bool is_allowed_git_url(std::string_view url) {
  const bool known = url.starts_with("https://") || url.starts_with("file:///") ||
                     (url.starts_with('/') && !url.starts_with("//"));
  return known && std::none_of(url.begin(), url.end(), [](char c) {
           return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f;
         });
}

Result<void> git_checkout(const GitSource& source, const fs::path& folder,
                          const GitSettings& settings, const std::stop_token& stop) {
  if (!is_allowed_git_url(source.url)) {
    return fail(ErrorCode::invalid_argument,
                "'" + source.url + "' is no https:// or file:/// URL or absolute path");
  }
  if (!is_commit(source.commit)) {
    return fail(ErrorCode::invalid_argument,
                "'" + source.commit + "' is no commit of 40 hexadecimal digits");
  }
  // A repository of another user on this machine is as good as one from the network. Only this file
  // reaches the upload-pack that git starts for it.
  HONE_CHECK(write_file_atomically(settings.home / ".gitconfig", "[safe]\n\tdirectory = *\n"));
  const Git git(source, folder, settings, stop);
  constexpr const char* kProtocols = "https:file";
  HONE_CHECK(git.run({"init", "-q", "."}, kProtocols));
  // The commit alone, where the server gives it by name; else everything it has.
  const Result<std::string> single = git.run(
      {"fetch", "-q", "--depth=1", "--no-tags", "--", source.url, source.commit}, kProtocols);
  if (!single) {
    if (single.error().code == ErrorCode::cancelled ||
        single.error().code == ErrorCode::timed_out) {
      return single.error();
    }
    HONE_CHECK(git.run({"fetch", "-q", "--", source.url, "+refs/heads/*:refs/remotes/origin/*",
                        "+refs/tags/*:refs/tags/*"},
                       kProtocols));
  }
  HONE_CHECK(git.run({"checkout", "-q", "--detach", source.commit}, kProtocols));
  HONE_TRY(const std::string head, git.run({"rev-parse", "HEAD"}, kProtocols));
  if (trim(head) != source.commit) {
    return fail(ErrorCode::unavailable,
                "git checked out " + std::string(trim(head)) + " in place of " + source.commit);
  }
  std::error_code error;
  if (fs::is_regular_file(folder / ".gitmodules", error)) {
    // A submodule's URL comes from the repository, not from the target's owner: no local files.
    HONE_CHECK(
        git.run({"submodule", "-q", "update", "--init", "--recursive", "--depth=1"}, "https"));
  }
  return {};
}

}  // namespace hone
