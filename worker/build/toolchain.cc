#include "worker/build/toolchain.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>

#include "common/base/sha256.h"
#include "common/base/subprocess.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kPath = {"/usr/local/bin", "/usr/bin", "/bin"};

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return fs::absolute(name).lexically_normal().string();
  }
  for (const char* folder : kPath) {
    std::string path = std::string(folder) + "/" + name;
    if (access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return {};
}

// The first line of `program --version`, run as the job's user.
Result<std::string> version_of(const std::string& program, const JobUser& user) {
  Command command;
  command.arguments = {program, "--version"};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C"};
  command.working_folder = "/";
  command.run_as = user.run_as;
  command.limits.wall_time = std::chrono::seconds(30);
  Result<RunReport> report = run(command);
  if (!report) {
    if (report.error().code == ErrorCode::permission_denied) {
      report.error().message += " as user '" + user.name +
                                "': every folder above it must be open to that user (chmod o+x), " +
                                "or choose another one with --job-user";
    }
    return report.error();
  }
  if (!report->ok()) {
    return fail(ErrorCode::unavailable, "'" + program + " --version': " + report->describe_end());
  }
  return std::string(trim(split(report->stdout_text, '\n').front()));
}

// "Debian clang version 19.1.7 (3)" -> 19
int major_of(std::string_view version) {
  const std::size_t at = version.find("version ");
  int major = 0;
  if (at != std::string_view::npos) {
    const std::string_view number = version.substr(at + 8);
    std::from_chars(number.data(), number.data() + number.size(), major);
  }
  return major;
}

Result<std::string> find_launcher(const ToolchainSettings& settings) {
  std::error_code error;
  const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path() / "hone-cc";
  const fs::path path = settings.launcher.empty() ? beside : fs::absolute(settings.launcher);
  if (access(path.c_str(), X_OK) != 0) {
    return fail(ErrorCode::not_found,
                "no launcher at " + path.string() + "; name it with --launcher PATH");
  }
  return path.lexically_normal().string();
}

}  // namespace

std::vector<std::string> Toolchain::launchers() const {
  std::vector<std::string> list = {launcher};
  if (!ccache.empty()) {
    list.push_back(ccache);
  }
  return list;
}

std::vector<fs::path> Toolchain::folders() const {
  std::error_code gone;
  std::vector<fs::path> list = {fs::path(launcher).parent_path(),
                                fs::canonical(launcher, gone).parent_path(), plugin_found};
  for (const std::string& program : {c_compiler, cxx_compiler, ccache}) {
    std::error_code error;
    const fs::path file = fs::canonical(program, error);
    if (error) {
      continue;
    }
    list.push_back(fs::path(program).parent_path());
    for (const char* part : {"bin", "lib", "libexec", "include"}) {
      list.push_back(file.parent_path().parent_path() / part);
    }
  }
  return list;
}

Result<Toolchain> find_toolchain(const ToolchainSettings& settings, const JobUser& user) {
  Toolchain found;
  found.c_compiler = find_program(settings.c_compiler);
  found.cxx_compiler = find_program(settings.cxx_compiler);
  if (found.c_compiler.empty() || found.cxx_compiler.empty()) {
    return fail(ErrorCode::not_found,
                "no compiler '" +
                    (found.c_compiler.empty() ? settings.c_compiler : settings.cxx_compiler) +
                    "'; name another with --compiler and --cxx-compiler");
  }
  found.ccache = find_program("ccache");
  HONE_TRY(found.launcher, find_launcher(settings));
  const std::string linker_launcher =
      (fs::path(found.launcher).parent_path() / "hone-link").string();
  if (access(linker_launcher.c_str(), X_OK) == 0 && version_of(linker_launcher, user)) {
    found.link_launcher = linker_launcher;
  }
  HONE_TRY(found.info.compiler, version_of(found.c_compiler, user));
  HONE_TRY(found.info.launcher_version, version_of(found.launcher, user));
  found.compiler_major = major_of(found.info.compiler);
  const Result<std::string> linker = version_of("ld", user);
  found.info.linker = linker ? *linker : "";
  const std::string plugin = "libhone_pass-" + std::to_string(found.compiler_major) + ".so";
  const fs::path launcher_folder = fs::path(found.launcher).parent_path();
  found.plugin_dir = settings.plugin_dir.string();
  for (const fs::path& folder :
       {fs::path(found.plugin_dir), launcher_folder, launcher_folder.parent_path() / "lib",
        launcher_folder.parent_path() / "lib/hone"}) {
    if (const Result<std::string> hash = sha256_file(folder / plugin); hash) {
      found.info.plugin_sha256 = *hash;
      found.plugin_found = folder.string();
      break;
    }
  }
  return found;
}

}  // namespace hone
