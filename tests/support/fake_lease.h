// A lease on a job that nobody builds.
#pragma once

#include <string>

#include "common/protocol/lease.h"

namespace hone {

inline Lease fake_lease(const std::string& attempt, const std::string& campaign = "") {
  Lease made;
  made.attempt = attempt;
  made.job = "job-" + attempt;
  made.campaign = campaign;
  made.ttl_seconds = 1;
  made.target.name = "t";
  made.target.source.artifact = std::string(64, 'a');
  made.target.build.commands = {{"make"}};
  made.target.build.binaries = {"a"};
  made.target.benchmark.command = {"a"};
  return made;
}

}  // namespace hone
