// Recorded requests of several servers, as windows: what deploy/examples/canary/load.py --record
// and the recorder of processor time wrote.
#pragma once

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "server/rewards/sli_window.h"

namespace hone {

struct RecordedTrace {
  BucketBounds bounds;
  std::map<std::string, std::vector<GroupWindow>> servers;  // a window each, by number
  std::size_t windows = 0;                                  // that every server has
};

// FOLDER/requests: "seconds server milliseconds status" a line; FOLDER/cpu: "seconds server
// cpu_seconds", cumulative, about one a second. Windows of `seconds`; the first and the last are
// left out, since they are not whole.
inline RecordedTrace read_trace(const std::string& folder, double seconds) {
  RecordedTrace trace;
  for (double bound = 50e-6; bound < 5; bound *= 1.06) {
    trace.bounds.push_back(bound);
  }
  const auto window = [&](const std::string& server, double time) -> GroupWindow& {
    std::vector<GroupWindow>& all = trace.servers[server];
    const auto number = static_cast<std::size_t>(time / seconds);
    if (all.size() <= number) {
      GroupWindow empty;
      empty.latencies.assign(trace.bounds.size() + 1, 0);
      all.resize(number + 1, empty);
    }
    return all[number];
  };
  std::ifstream requests(folder + "/requests");
  double time = 0;
  double milliseconds = 0;
  int status = 0;
  std::string server;
  std::string took;
  while (requests >> time >> server >> took >> status) {
    GroupWindow& into = window(server, time);
    ++into.requests;
    into.failures += status >= 500 || status == 0 ? 1 : 0;
    milliseconds = std::atof(took.c_str());
    const auto bucket =
        std::ranges::lower_bound(trace.bounds, milliseconds / 1000) - trace.bounds.begin();
    ++into.latencies[static_cast<std::size_t>(bucket)];
  }
  std::ifstream cpu(folder + "/cpu");
  std::map<std::string, std::pair<double, double>> last;  // time, cumulative
  double used = 0;
  while (cpu >> time >> server >> used) {
    const auto before = last.find(server);
    if (before != last.end() && trace.servers.contains(server)) {
      // To the window of its middle: samples come once a second.
      const double middle = (time + before->second.first) / 2;
      if (static_cast<std::size_t>(middle / seconds) < trace.servers[server].size()) {
        window(server, middle).cpu_seconds += used - before->second.second;
      }
    }
    last[server] = {time, used};
  }
  trace.windows = trace.servers.empty() ? 0 : trace.servers.begin()->second.size();
  for (auto& [name, all] : trace.servers) {
    trace.windows = std::min(trace.windows, all.size());
    for (GroupWindow& each : all) {
      each.outcome = each.requests > 0 ? WindowOutcome::ok : WindowOutcome::no_traffic;
    }
  }
  return trace;
}

}  // namespace hone
