#include "staging/runner/run_end.h"

#include <algorithm>
#include <array>
#include <csignal>

namespace hone {
namespace {

constexpr std::array<std::string_view, 6> kMemoryMessages = {
    "bad_alloc",   "out of memory",          "Out of memory",
    "OutOfMemory", "Cannot allocate memory", "memory exhausted"};

constexpr std::array<std::string_view, 2> kSpaceMessages = {"No space left on device", "ENOSPC"};

template <std::size_t size>
bool says_one_of(const RunReport& report, const std::array<std::string_view, size>& messages) {
  return std::any_of(messages.begin(), messages.end(), [&](std::string_view message) {
    return report.stderr_text.find(message) != std::string::npos;
  });
}

bool ran_out_of_memory(const RunReport& report, const RunLimits& limits) {
  if (limits.address_space_bytes == 0) {
    return false;
  }
  if (static_cast<double>(report.peak_rss_bytes) >=
      0.9 * static_cast<double>(limits.address_space_bytes)) {
    return true;
  }
  return says_one_of(report, kMemoryMessages);
}

}  // namespace

std::string_view to_string(RunClass value) {
  switch (value) {
    case RunClass::ok:
      return "ok";
    case RunClass::failed:
      return "failed";
    case RunClass::timed_out:
      return "timed_out";
    case RunClass::limit_exceeded:
      return "limit_exceeded";
    case RunClass::no_metric:
      return "no_metric";
    case RunClass::stopped:
      return "stopped";
    case RunClass::not_started:
      return "not_started";
  }
  return "failed";
}

RunEndReport classify(const RunReport& report, const RunLimits& limits,
                      const std::string& limit_met) {
  if (!limit_met.empty() && !report.ok() && report.end != RunEnd::stopped) {
    return {RunClass::limit_exceeded, limit_met + " (" + report.describe_end() + ")"};
  }
  switch (report.end) {
    case RunEnd::timed_out:
      return {RunClass::timed_out, report.describe_end()};
    case RunEnd::stopped:
      return {RunClass::stopped, report.describe_end()};
    case RunEnd::signalled:
      if (report.signal == SIGXFSZ) {
        return {RunClass::limit_exceeded, "wrote more than " +
                                              std::to_string(limits.file_size_bytes >> 20U) +
                                              " MiB to one file (output limit)"};
      }
      if (report.signal == SIGXCPU) {
        return {RunClass::timed_out, "used more than " + std::to_string(limits.cpu_seconds) +
                                         " s of processor time (time limit)"};
      }
      break;
    case RunEnd::exited:
      if (report.exit_code == 0) {
        return {};
      }
      break;
  }
  if (ran_out_of_memory(report, limits)) {
    return {RunClass::limit_exceeded, "ran out of its " +
                                          std::to_string(limits.address_space_bytes >> 20U) +
                                          " MiB of memory (" + report.describe_end() + ")"};
  }
  if (says_one_of(report, kSpaceMessages)) {
    return {RunClass::limit_exceeded,
            "filled the folder it runs in (" + report.describe_end() + ")"};
  }
  return {RunClass::failed, report.describe_end()};
}

}  // namespace hone
