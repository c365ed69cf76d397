// How one benchmark run ended, in the classes that decide an outcome. Thread safe.
#pragma once

#include <string>
#include <string_view>

#include "common/base/subprocess.h"

namespace hone {

enum class RunClass {
  ok,              // exit code 0
  failed,          // crashed, or another exit code
  timed_out,       // past its time limit
  limit_exceeded,  // memory, output or number of processes
  no_metric,       // exit code 0, but the number it should print is not there
  stopped,         // by us, on request
  not_started,     // the program could not be started
};
std::string_view to_string(RunClass value);

struct RunEndReport {
  RunClass run_class = RunClass::ok;
  std::string reason;  // for people, empty with ok
};

// The class of a finished process.
//
// A limit on file size shows as SIGXFSZ, one on CPU time as SIGXCPU. A limit on memory does not
// show at all: the program is refused an allocation and ends as it pleases. Taken for such an end
// is a failure of a program that says so on standard error (bad_alloc, out of memory ...) or that
// had 90 % of the limit resident. Likewise for a full folder (No space left on device).
//
// `limit_met`: which limit on all its processes together it met (SandboxReport); a run that did not
// end well is then put down to that, also if the limit made it hang.
RunEndReport classify(const RunReport& report, const RunLimits& limits,
                      const std::string& limit_met = {});

}  // namespace hone
