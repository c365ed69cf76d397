// engine_remote PORT TOKEN-FILE HONED-PID PROGRAM-SHA256 MODULE: what a step costs over the wire,
// for engine_remote.sh.
//
// The same steps in this process, over a WebSocket and by REST requests on one connection; CPU time
// of all who take part: this process, honed, and all that honed started.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/json/document.h"
#include "engine/llvm/module_io.h"
#include "engine/llvm/session.h"
#include "tests/support/processes.h"
#include "tests/support/raw_http_client.h"
#include "tests/support/websocket_client.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 6;
constexpr int kStepsPerRound = 250;
const std::vector<std::string> kPipelines = {"function(instsimplify)", "function(dce)",
                                             "function(early-cse)", "function(simplifycfg)",
                                             "globaldce"};

template <class T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "engine_remote: {}\n", result.error().describe());
    std::exit(1);
  }
  return *std::move(result);
}

// Nanoseconds that a process's threads were on a processor; 0 if it is gone.
std::int64_t on_processor(const fs::path& process) {
  std::int64_t sum = 0;
  std::error_code gone;
  for (const auto& task : fs::directory_iterator(process / "task", gone)) {
    std::ifstream file(task.path() / "schedstat");
    std::int64_t ns = 0;
    file >> ns;
    sum += ns;
  }
  return sum;
}

// Seconds of those who take part, by who they are: this process, honed, the session server, the
// sessions' processes and what else is below honed (PostgreSQL).
struct Shares {
  double client = 0;
  double honed = 0;
  double server = 0;
  double sessions = 0;
  double others = 0;

  double sum() const { return client + honed + server + sessions + others; }
  Shares& add(const Shares& after, const Shares& before) {
    client += after.client - before.client;
    honed += after.honed - before.honed;
    server += after.server - before.server;
    sessions += after.sessions - before.sessions;
    others += after.others - before.others;
    return *this;
  }
};

std::string name_of(const fs::path& process) {
  std::string name;
  std::ifstream file(process / "comm");
  std::getline(file, name);
  return name;
}

Shares cpu_seconds(long honed) {
  constexpr double kSeconds = 1e-9;
  std::map<long, long> parents = {{honed, 0}, {getpid(), 0}};
  for (bool found = true; found;) {
    found = false;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const long process = std::atol(entry.path().filename().c_str());
      const long parent = process > 0 ? parent_of(entry.path()) : 0;
      found |= parents.contains(parent) && parents.emplace(process, parent).second;
    }
  }
  Shares shares;
  for (const auto& [process, parent] : parents) {
    const fs::path path = "/proc/" + std::to_string(process);
    const double seconds = kSeconds * static_cast<double>(on_processor(path));
    const bool session = name_of(path) == "hone-session";
    (process == getpid()          ? shares.client
     : process == honed           ? shares.honed
     : session && parent == honed ? shares.server
     : session                    ? shares.sessions
                                  : shares.others) += seconds;
  }
  return shares;
}

Json step_of(int number) {
  return {{"pipelines", {kPipelines[static_cast<std::size_t>(number) % kPipelines.size()]}},
          {"observe", {"IrInstructionCount", "Autophase"}}};
}

class Rest {
 public:
  Rest(std::uint16_t port, std::string token) : client_(port), token_(std::move(token)) {}

  Json post(const std::string& path, const Json& body) {
    const std::string text = dump_json(body);
    client_.send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                 token_ + "\r\nContent-Type: application/json\r\nContent-Length: " +
                 std::to_string(text.size()) + "\r\n\r\n" + text);
    const RawResponse response = client_.receive();
    if (response.status >= 300 || response.status == 0) {
      fmt::print(stderr, "engine_remote: {}: {} {}\n", path, response.status, response.body);
      std::exit(1);
    }
    return must(parse_json(response.body));
  }

 private:
  RawHttpClient client_;
  std::string token_;
};

struct Cost {
  Shares cpu;
  double wall = 0;
};

int run(std::uint16_t port, const std::string& token, long honed, const std::string& sha256,
        const std::string& module) {
  const std::string bytes = must(read_file(module, kMaxProgramBytes));
  const auto local = must(Session::create(bytes, {}));
  Rest rest(port, token);
  const auto open = [&] {
    return rest.post("/v1/sessions", {{"program", sha256}})["session"].get<std::string>();
  };
  const std::string by_rest = open();
  const std::string by_socket = open();
  WebSocketClient socket(port);
  if (socket.open("/v1/sessions/" + by_socket + "/socket", token) != 101) {
    fmt::print(stderr, "engine_remote: no WebSocket\n");
    return 1;
  }
  std::int64_t counted[3] = {};
  const std::function<void(int)> steps[3] = {
      [&](int i) {
        const std::vector<std::string> pipeline = {
            kPipelines[static_cast<std::size_t>(i) % kPipelines.size()]};
        (void)must(local->step(pipeline));
        counted[0] =
            std::get<std::int64_t>(*must(local->observe(ObservationSpace::ir_instruction_count)));
        (void)must(local->observe(ObservationSpace::autophase));
      },
      [&](int i) {
        Json message = step_of(i);
        message["id"] = i;
        message["command"] = "step";
        socket.send(dump_json(message));
        const Json reply = must(parse_json(socket.receive().value_or("")));
        counted[1] = reply["observations"]["IrInstructionCount"].get<std::int64_t>();
      },
      [&](int i) {
        const Json reply = rest.post("/v1/sessions/" + by_rest + "/step", step_of(i));
        counted[2] = reply["observations"]["IrInstructionCount"].get<std::int64_t>();
      }};
  Cost costs[3];
  // The first round is not counted: it changes the program, and warms up.
  for (int round = 0; round <= kRounds; ++round) {
    for (int way = 0; way < 3; ++way) {
      const Shares cpu = cpu_seconds(honed);
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < kStepsPerRound; ++i) {
        steps[way](i);
      }
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
      if (round > 0) {
        costs[way].cpu.add(cpu_seconds(honed), cpu);
        costs[way].wall += wall.count();
      }
    }
  }
  if (counted[0] != counted[1] || counted[0] != counted[2]) {
    fmt::print(stderr, "engine_remote: {}, {} and {} instructions are not the same program\n",
               counted[0], counted[1], counted[2]);
    return 1;
  }
  const char* const names[3] = {"in process", "WebSocket", "REST"};
  constexpr double kSteps = kRounds * kStepsPerRound;
  constexpr double kEach = 1e3 / kSteps;
  fmt::print("\n{:12}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "a step, ms", "CPU", "client",
             "honed", "server", "session", "others", "wall");
  for (int way = 0; way < 3; ++way) {
    const auto& [cpu, wall] = costs[way];
    fmt::print("{:12}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}\n", names[way],
               kEach * cpu.sum(), kEach * cpu.client, kEach * cpu.honed, kEach * cpu.server,
               kEach * cpu.sessions, kEach * cpu.others, kEach * wall);
  }
  const double more = kEach * (costs[1].cpu.sum() - costs[0].cpu.sum());
  fmt::print(
      "\na WebSocket step costs {:.3f} ms CPU more than in process (at most 0.3), client "
      "included\n",
      more);
  return more <= 0.3 ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: engine_remote PORT TOKEN-FILE HONED-PID PROGRAM-SHA256 MODULE\n", stderr);
    return 2;
  }
  const std::string token(hone::trim(hone::must(hone::read_file(argv[2], 4096))));
  return hone::run(static_cast<std::uint16_t>(std::atoi(argv[1])), token, std::atol(argv[3]),
                   argv[4], argv[5]);
}
