// A product whose "compiler" is a shell script that makes the program of its baseline or, where
// HONE_POLICY is set as in a candidate's build, of its candidate: each may then do what a case is
// about.
#pragma once

#include <string>

#include "tests/support/job_fixture.h"

namespace hone {

// An answer and a time that is always the same: a verdict after twelve pairs.
inline const std::string kGood = "#!/bin/sh\necho answer, time 1.5\n";
// The same with real processor time.
inline std::string busy(int rounds) {
  return "#!/bin/sh\ni=0; while [ $i -lt " + std::to_string(rounds) +
         " ]; do i=$((i+1)); done\necho answer, time 1.5\n";
}

class Outcomes : public JobFixture {
 protected:
  void SetUp() override {
    JobFixture::SetUp();
    write("make.sh",
          "set -e\n"
          "role=baseline\n"
          "if [ -n \"$HONE_POLICY\" ]; then role=candidate; fi\n"
          "if [ -e \"$1/$role.make\" ]; then . \"$1/$role.make\"; fi\n"
          "cp \"$1/$role.sh\" bench\nchmod 755 bench\n");
    target_.build.commands = {{"sh", "{source}/make.sh", "{source}"}};
    target_.build.binaries = {"bench"};
    target_.benchmark.command = {"{build}/bench"};
    target_.benchmark.metric = {.metric = Metric::printed, .pattern = "time ([0-9.]+)"};
    baseline(kGood);
    candidate(kGood + "# another program that does the same\n");
  }
  void baseline(const std::string& script) { write("baseline.sh", script); }
  void candidate(const std::string& script) { write("candidate.sh", script); }
  AttemptResult run_packed() {
    pack();
    return run();
  }
};

}  // namespace hone
