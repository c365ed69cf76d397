#include "worker/build/product_build.h"

#include <algorithm>
#include <chrono>
#include <csignal>

#include "common/base/file.h"
#include "common/base/text.h"
#include "worker/build/layouts.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::uint64_t kFileLimit = std::uint64_t{4} << 30U;
constexpr std::uint64_t kProcessLimit = 4096;
constexpr std::size_t kReasonTail = 2000;

std::string optimisation_flags(BaselineKind kind) {
  return kind == BaselineKind::oz ? "-Oz -DNDEBUG" : "-O3 -DNDEBUG";
}

Arguments configure_command(const BuildRequest& request) {
  const CMakeSpec& cmake = *request.target.build.cmake;
  const bool with_flags = !request.variant.flags.empty();
  const std::string launchers = with_flags ? (request.folders.wrappers / "compile").string()
                                           : join(request.toolchain.launchers(), ";");
  Arguments command = {
      "cmake", "-G", "Ninja", "-S",
      (request.folders.source / cmake.source).lexically_normal().string(), "-B",
      request.folders.build.string(), "-DCMAKE_C_COMPILER=" + request.toolchain.c_compiler,
      "-DCMAKE_CXX_COMPILER=" + request.toolchain.cxx_compiler,
      "-DCMAKE_C_COMPILER_LAUNCHER=" + launchers, "-DCMAKE_CXX_COMPILER_LAUNCHER=" + launchers,
      "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
      // The same binary wherever the folder lies, and libraries of its own folder.
      "-DCMAKE_BUILD_RPATH_USE_ORIGIN=ON", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF",
      "-DFETCHCONTENT_FULLY_DISCONNECTED=ON", "-Wno-dev"};
  if (with_flags || wants_links(request.target, request.toolchain)) {
    const std::string linker =
        with_flags ? (request.folders.wrappers / "link").string() : request.toolchain.link_launcher;
    for (const char* language : {"C", "CXX"}) {
      command.push_back("-DCMAKE_" + std::string(language) + "_LINKER_LAUNCHER=" + linker);
    }
  }
  if (request.baseline != BaselineKind::own) {
    const std::string flags = optimisation_flags(request.baseline);
    command.push_back("-DCMAKE_C_FLAGS_RELEASE=" + flags);
    command.push_back("-DCMAKE_CXX_FLAGS_RELEASE=" + flags);
  }
  // The target's own come last: they win.
  command.insert(command.end(), cmake.options.begin(), cmake.options.end());
  return command;
}

class Builder {
 public:
  Builder(const BuildRequest& request, StepLog& log, const std::stop_token& stop)
      : request_(request),
        log_(log),
        stop_(stop),
        started_(std::chrono::steady_clock::now()),
        deadline_(started_ + std::chrono::seconds(request.target.build.timeout_seconds)) {}

  BuildReport run() {
    run_steps();
    report_.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    return std::move(report_);
  }

 private:
  void run_steps() {
    const std::vector<Placeholder> words = {
        {"{source}", request_.folders.source.string()},
        {"{build}", request_.folders.build.string()},
        {"{cc}", (request_.folders.wrappers / "cc").string()},
        {"{cxx}", (request_.folders.wrappers / "cxx").string()},
        {"{jobs}", std::to_string(request_.jobs)},
    };
    std::vector<Arguments> preparation;
    std::vector<Arguments> steps;
    if (builds_in_copy(request_.target)) {
      preparation.push_back(copy_command(request_.folders.source, request_.folders.build));
    }
    if (const std::optional<CMakeSpec>& cmake = request_.target.build.cmake) {
      std::error_code error;
      if (!request_.variant.prepared.empty()) {
        preparation.push_back(copy_command(request_.variant.prepared, request_.folders.build));
      } else if (!fs::exists(request_.folders.build / "build.ninja", error)) {
        Arguments configure = configure_command(request_);
        for (std::size_t i = configure.size() - cmake->options.size(); i < configure.size(); ++i) {
          const Result<Arguments> expanded = expand({configure[i]}, words);
          if (!expanded) {
            return give_up(BuildEnd::failed, "cmake option: " + expanded.error().message);
          }
          configure[i] = expanded->front();
        }
        preparation.push_back(std::move(configure));
      }
      Arguments build = {"cmake", "--build", request_.folders.build.string(), "--parallel",
                         std::to_string(request_.jobs)};
      for (const std::string& target : cmake->targets) {
        build.insert(build.end(), {"--target", target});
      }
      steps.push_back(std::move(build));
    }
    for (const Arguments& command : request_.target.build.commands) {
      const Result<Arguments> expanded = expand(command, words);
      if (!expanded) {
        return give_up(BuildEnd::failed, "build command: " + expanded.error().message);
      }
      steps.push_back(*expanded);
    }
    double uncounted = 0;
    for (const Arguments& step : preparation) {
      if (!run_step(step, uncounted)) {
        return;
      }
    }
    if (request_.variant.part == BuildPart::preparation) {
      return;
    }
    for (const Arguments& step : steps) {
      if (!run_step(step, report_.cpu_seconds)) {
        return;
      }
    }
  }

  bool run_step(const Arguments& arguments, double& cpu_seconds) {
    Command command;
    command.arguments = arguments;
    command.environment = request_.environment;
    for (std::string& variable : link_environment(request_.target, request_.toolchain)) {
      command.environment.push_back(std::move(variable));
    }
    command.working_folder = request_.folders.build;
    command.run_as = request_.user.run_as;
    command.cpu = request_.variant.cpu;
    command.limits = build_limits(request_.target, deadline_);
    if (!request_.variant.limit_address_space) {
      command.limits.address_space_bytes = 0;
    }
    const Result<SandboxReport> step =
        log_.run(std::move(command), request_.sandbox, request_.view, stop_);
    const std::string name = "'" + arguments.front() + "'";
    if (!step) {
      give_up(
          step.error().code == ErrorCode::unavailable ? BuildEnd::unavailable : BuildEnd::failed,
          step.error().message);
      return false;
    }
    const RunReport* const report = &step->run;
    cpu_seconds += report->cpu_seconds;
    if (report->ok()) {
      return true;
    }
    if (report->end == RunEnd::stopped) {
      give_up(BuildEnd::stopped, "stopped on request");
    } else if (!step->limit_met.empty()) {
      give_up(BuildEnd::limit_exceeded, "the build " + step->limit_met + " (in step " + name +
                                            ", " + report->describe_end() + ")");
    } else if (report->end == RunEnd::timed_out) {
      give_up(BuildEnd::timed_out, "the build took more than its " +
                                       std::to_string(request_.target.build.timeout_seconds) +
                                       " s (in step " + name + ")");
    } else if (report->end == RunEnd::signalled && report->signal == SIGXFSZ) {
      give_up(BuildEnd::limit_exceeded, "the build wrote a file of more than 4 GiB");
    } else {
      give_up(BuildEnd::failed,
              name + ": " + report->describe_end() + ", saying:\n" + log_.last_words(kReasonTail));
    }
    return false;
  }

  void give_up(BuildEnd end, std::string reason) {
    report_.end = end;
    report_.reason = std::move(reason);
  }

  const BuildRequest& request_;
  StepLog& log_;
  const std::stop_token& stop_;
  SteadyTime started_;
  SteadyTime deadline_;
  BuildReport report_;
};

// A path as one word of sh.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return word + "'";
}

}  // namespace

Result<void> write_wrappers(const fs::path& folder, const Toolchain& toolchain,
                            const std::vector<std::string>& flags) {
  std::string launchers;
  for (const std::string& launcher : toolchain.launchers()) {
    launchers += quoted(launcher) + " ";
  }
  std::string added;
  for (const std::string& flag : flags) {
    added += quoted(flag) + " ";
  }
  // It execs all that is no link of the benchmark's program.
  const std::string linker =
      toolchain.link_launcher.empty() ? "" : quoted(toolchain.link_launcher) + " ";
  const auto script = [&](const std::string& compiler) {
    return "#!/bin/sh\nexec " + linker + launchers + quoted(compiler) + " " + added + "\"$@\"\n";
  };
  HONE_CHECK(write_file_atomically(folder / "cc", script(toolchain.c_compiler), 0755));
  HONE_CHECK(write_file_atomically(folder / "cxx", script(toolchain.cxx_compiler), 0755));
  if (flags.empty()) {
    return {};
  }
  // CMake names the compiler first.
  const auto in_front = [&](const std::string& before) {
    return "#!/bin/sh\ncompiler=$1\nshift\nexec " + before + "\"$compiler\" " + added + "\"$@\"\n";
  };
  HONE_CHECK(write_file_atomically(folder / "compile", in_front(launchers), 0755));
  return write_file_atomically(folder / "link", in_front(""), 0755);
}

Arguments copy_command(const fs::path& from, const fs::path& to) {
  return {"cp", "-R", "--preserve=mode,timestamps,links", "--", (from / ".").string(), to.string()};
}

RunLimits build_limits(const TargetSpec& target, SteadyTime end) {
  RunLimits limits;
  limits.wall_time = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::max(end - std::chrono::steady_clock::now(), SteadyTime::duration(1ms)));
  limits.address_space_bytes = static_cast<std::uint64_t>(target.build.memory_mib) << 20U;
  limits.file_size_bytes = kFileLimit;
  limits.processes = kProcessLimit;
  return limits;
}

bool builds_in_copy(const TargetSpec& target) {
  const auto says_source = [](const Arguments& command) {
    return std::any_of(command.begin(), command.end(), [](const std::string& word) {
      return word.find("{source}") != std::string::npos;
    });
  };
  return !target.build.cmake &&
         std::none_of(target.build.commands.begin(), target.build.commands.end(), says_source);
}

BuildReport build_product(const BuildRequest& request, StepLog& log, const std::stop_token& stop) {
  return Builder(request, log, stop).run();
}

bool prepare_rebuild(const TargetSpec& target, const fs::path& build) {
  std::error_code error;
  if (!target.build.cmake || !fs::exists(build / "build.ninja", error)) {
    return false;
  }
  std::vector<fs::path> objects;
  fs::recursive_directory_iterator it(build, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::error_code gone;
    const std::string name = it->path().filename().string();
    if (it->is_directory(gone) && name.ends_with("-stamp")) {
      return false;
    }
    if (name.ends_with(".o") && it->symlink_status(gone).type() == fs::file_type::regular) {
      objects.push_back(it->path());
    }
  }
  for (const std::string& binary : target.build.binaries) {
    // A job may have made a folder on the way a link: what lies behind it is not ours to remove.
    const fs::path parent = (build / binary).lexically_normal().parent_path();
    std::error_code missing;
    if (fs::weakly_canonical(parent, missing) !=
            fs::weakly_canonical(build, missing) / parent.lexically_relative(build) &&
        parent != build) {
      return false;
    }
    objects.push_back(build / binary);
  }
  for (const fs::path& object : objects) {
    std::error_code failed;
    fs::remove(object, failed);
    if (failed) {
      return false;
    }
  }
  return !error;
}

}  // namespace hone
