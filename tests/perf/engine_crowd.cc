// engine_crowd SERVER MODULE: what many sessions cost, for engine_episodes.sh.
//
// Memory of 200 idle sessions (each with ten actions behind it), and of 1,000 of which all but 200
// are parked, as the sum of all processes' proportional shares; steps a second of one session and
// of two at once. Prints NAME=VALUE lines.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/pipelines/action_space.h"
#include "common/sessions/session_client.h"
#include "tests/support/processes.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int kIdle = 200;
constexpr int kCrowd = 1000;
constexpr std::size_t kHistory = 10;
constexpr int kRounds = 40;

template <class T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "engine_crowd: {}\n", result.error().describe());
    std::exit(1);
  }
  return *std::move(result);
}

struct Crowd {
  long kib = 0;
  int processes = 0;
};

// The server and its sessions' processes.
Crowd measure(pid_t server) {
  Crowd crowd;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    if (std::stol(name) == server || parent_of(entry.path()) == server) {
      crowd.kib += number_in(entry.path() / "smaps_rollup", "Pss:");
      ++crowd.processes;
    }
  }
  return crowd;
}

SessionRequest request(const std::string& session, SessionCommand command) {
  SessionRequest request;
  request.session = session;
  request.command = command;
  return request;
}

// Sixty passes that leave a module to work on, again and again.
std::vector<std::string> work() {
  std::vector<std::string> pipelines;
  for (int i = 0; i < 20; ++i) {
    for (const char* const pipeline : {"function(reg2mem)", "function(mem2reg)", "function(gvn)"}) {
      pipelines.push_back(pipeline);
    }
  }
  return pipelines;
}

// Seconds for `rounds` requests of each of `sessions` sessions, all at once.
double seconds_of(SessionClient& client, const std::vector<std::string>& sessions) {
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < kRounds; ++round) {
    for (const std::string& session : sessions) {
      SessionRequest step = request(session, SessionCommand::step);
      step.pipelines = work();
      (void)must(client.send(std::move(step)));
    }
  }
  for (std::size_t i = 0; i < kRounds * sessions.size(); ++i) {
    (void)must(client.receive());
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int run(const char* server, const char* module) {
  SessionClient client =
      must(SessionClient::start(server, {"--max-processes", std::to_string(kIdle)}));
  const ActionSpace space = must(ActionSpace::create(19));
  std::vector<std::string> history;
  for (std::size_t i = 0; i < kHistory; ++i) {
    history.push_back(space.actions()[(7 * i) % space.actions().size()].pipeline);
  }
  for (int i = 0; i < kCrowd; ++i) {
    SessionRequest open = request(fmt::format("s{}", i), SessionCommand::open);
    open.program = module;
    open.pipelines = history;
    open.observe = {ObservationSpace::ir_instruction_count};
    (void)must(client.ask(std::move(open)));
    if (i + 1 == kIdle) {
      const Crowd idle = measure(client.process());
      fmt::print("idle_processes={}\nidle_mib={}\n", idle.processes - 1, idle.kib / 1024);
    }
  }
  const Crowd crowd = measure(client.process());
  fmt::print("crowd_sessions={}\ncrowd_processes={}\ncrowd_mib={}\n", kCrowd, crowd.processes - 1,
             crowd.kib / 1024);
  // The first one was parked long ago.
  const SessionReply back = must(client.ask(request("s0", SessionCommand::observe)));
  fmt::print("parked_length={}\n", back.length);
  // Turn by turn, so that both see the same machine.
  double one = 0;
  double two = 0;
  for (int turn = 0; turn < 3; ++turn) {
    one += seconds_of(client, {"s998"});
    two += seconds_of(client, {"s998", "s999"});
  }
  fmt::print("parallel_gain={:.3f}\n", 2 * one / two);
  return 0;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: engine_crowd SERVER MODULE\n", stderr);
    return 2;
  }
  return hone::run(argv[1], argv[2]);
}
