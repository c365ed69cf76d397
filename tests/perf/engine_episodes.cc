// engine_episodes SERVER EPISODES MODULE...: random episodes on a session server, for
// engine_episodes.sh.
//
// An episode opens a session on a random module, applies 45 random actions, fifteen a request, and
// goes on behind an action that fails; then a second session applies what the first one came to
// through in one request, and must see the same bitcode. Two episodes run at once. Prints what came
// of each action, NAME=VALUE lines last.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/random.h"
#include "common/pipelines/action_space.h"
#include "common/sessions/session_client.h"

namespace hone {
namespace {

constexpr std::size_t kSteps = 45;
constexpr std::size_t kPerRequest = 15;
constexpr int kAtOnce = 2;
constexpr std::int64_t kMemoryEvery = 500;  // episodes

struct Failures {
  std::int64_t tried = 0;
  std::map<std::string, std::int64_t> by_outcome;
};

// Upper end of the 95 % interval of a share (Wilson 1927).
double upper_share(std::int64_t hits, std::int64_t of) {
  constexpr double kZ = 1.959964;
  if (of == 0) {
    return 1;
  }
  const double n = static_cast<double>(of);
  const double p = static_cast<double>(hits) / n;
  const double centre = p + kZ * kZ / (2 * n);
  const double spread = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  return (centre + spread) / (1 + kZ * kZ / n);
}

std::int64_t resident_kib(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) {
      return std::atoll(line.c_str() + 6);
    }
  }
  return 0;
}

class Runner {
 public:
  Runner(SessionClient client, ActionSpace space, std::vector<std::string> modules)
      : client_(std::move(client)), space_(std::move(space)), modules_(std::move(modules)) {}

  int run(std::int64_t episodes) {
    for (; started_ < kAtOnce && started_ < episodes; ++started_) {
      begin();
    }
    while (!going_.empty() || !closing_.empty()) {
      const Result<SessionReply> reply = client_.receive();
      if (!reply) {
        fmt::print("the session server is lost: {}\n", reply.error().describe());
        return 1;
      }
      if (closing_.erase(reply->id) > 0) {
        continue;
      }
      const std::string session = asked_.at(reply->id);
      asked_.erase(reply->id);
      advance(session, *reply);
      if (going_.size() < kAtOnce && started_ < episodes) {
        ++started_;
        begin();
      }
    }
    return report();
  }

 private:
  enum class Stage { opening, stepping, observed, replaying };
  struct Episode {
    std::string module;
    Stage stage = Stage::opening;
    std::vector<std::string> left;     // actions to come
    std::vector<std::string> applied;  // what the session went through
    std::vector<std::string> sent;     // in the request under way
    std::string hash;
  };

  void begin() {
    Episode episode;
    episode.module = modules_[random_.below(modules_.size())];
    for (std::size_t i = 0; i < kSteps; ++i) {
      episode.left.push_back(space_.actions()[random_.below(space_.actions().size())].pipeline);
    }
    const std::string name = fmt::format("e{}", started_);
    SessionRequest open = request(name, SessionCommand::open);
    open.program = episode.module;
    going_.emplace(name, std::move(episode));
    ask(name, std::move(open));
  }

  static SessionRequest request(const std::string& session, SessionCommand command) {
    SessionRequest request;
    request.session = session;
    request.command = command;
    return request;
  }

  void ask(const std::string& episode, SessionRequest request) {
    const Result<std::int64_t> id = client_.send(std::move(request));
    if (!id) {
      fmt::print("the session server is lost: {}\n", id.error().describe());
      std::exit(1);
    }
    asked_[*id] = episode;
  }

  void advance(const std::string& name, const SessionReply& reply) {
    Episode& episode = going_.at(name);
    if (reply.error) {
      fmt::print("{} ({}): {}\n", name, episode.module, reply.error->describe());
      ++refused_;
      end(name);
      return;
    }
    switch (episode.stage) {
      case Stage::opening:
        episode.stage = Stage::stepping;
        next_step(name, episode);
        return;
      case Stage::stepping:
        count(episode, reply);
        if (episode.left.empty()) {
          episode.stage = Stage::observed;
          SessionRequest observe = request(name, SessionCommand::observe);
          observe.observe = {ObservationSpace::bitcode_hash};
          ask(name, std::move(observe));
        } else {
          next_step(name, episode);
        }
        return;
      case Stage::observed: {
        episode.hash = std::get<std::string>(reply.observations.at("BitcodeHash"));
        episode.stage = Stage::replaying;
        SessionRequest again = request(name + "-again", SessionCommand::open);
        again.program = episode.module;
        again.pipelines = episode.applied;
        again.observe = {ObservationSpace::bitcode_hash};
        ask(name, std::move(again));
        return;
      }
      case Stage::replaying:
        compare(name, episode, reply);
        end(name);
        return;
    }
  }

  void next_step(const std::string& name, Episode& episode) {
    const std::size_t count = std::min(kPerRequest, episode.left.size());
    episode.sent.assign(episode.left.begin(),
                        episode.left.begin() + static_cast<std::ptrdiff_t>(count));
    SessionRequest step = request(name, SessionCommand::step);
    step.pipelines = episode.sent;
    ask(name, std::move(step));
  }

  // Takes what was tried out of what is left: the applied ones, and the one that failed.
  void count(Episode& episode, const SessionReply& reply) {
    const auto applied = static_cast<std::size_t>(reply.applied);
    for (std::size_t i = 0; i < applied; ++i) {
      ++actions_[episode.sent[i]].tried;
      episode.applied.push_back(episode.sent[i]);
    }
    std::size_t tried = applied;
    if (reply.outcome != StepOutcome::ok) {
      Failures& failures = actions_[reply.pipeline];
      ++failures.tried;
      const std::string outcome(to_string(reply.outcome));
      if (++failures.by_outcome[outcome] <= 3) {
        fmt::print("{} {} behind {} actions of {}: {}\n", outcome, reply.pipeline,
                   episode.applied.size(), episode.module, reply.reason);
      }
      ++failed_;
      ++tried;
    }
    steps_ += static_cast<std::int64_t>(tried);
    episode.left.erase(episode.left.begin(),
                       episode.left.begin() + static_cast<std::ptrdiff_t>(tried));
  }

  void compare(const std::string& name, const Episode& episode, const SessionReply& reply) {
    const auto seen = reply.observations.find("BitcodeHash");
    const bool same = reply.outcome == StepOutcome::ok && seen != reply.observations.end() &&
                      std::get<std::string>(seen->second) == episode.hash;
    if (!same) {
      ++differing_;
      std::string history;
      for (const std::string& pipeline : episode.applied) {
        history += (history.empty() ? "" : ",") + pipeline;
      }
      fmt::print("replay differs: {} {}: {}\n", name, episode.module, history);
    }
  }

  void end(const std::string& name) {
    going_.erase(name);
    for (const std::string& session : {name, name + "-again"}) {
      // The second is not open where the episode broke off; the reply says nothing of interest.
      const Result<std::int64_t> id = client_.send(request(session, SessionCommand::close));
      if (id) {
        closing_.insert(*id);
      }
    }
    if (++done_ % kMemoryEvery == 0 || done_ == kAtOnce) {
      memory_.push_back(resident_kib(client_.process()));
    }
  }

  int report() {
    std::vector<std::pair<std::string, Failures>> table(actions_.begin(), actions_.end());
    const auto failed = [](const Failures& failures) {
      std::int64_t all = 0;
      for (const auto& [outcome, count] : failures.by_outcome) {
        all += count;
      }
      return all;
    };
    std::ranges::sort(table, [&](const auto& a, const auto& b) {
      return std::pair(-failed(a.second), a.first) < std::pair(-failed(b.second), b.first);
    });
    std::int64_t above = 0;
    fmt::print("\n{:50}{:>8}{:>8}{:>12}  outcomes\n", "action", "tried", "failed", "upper, %");
    for (const auto& [action, failures] : table) {
      const double upper = upper_share(failed(failures), failures.tried);
      above += failed(failures) > 0 && upper > 0.005 ? 1 : 0;
      std::string outcomes;
      for (const auto& [outcome, count] : failures.by_outcome) {
        outcomes += fmt::format(" {} {}", count, outcome);
      }
      fmt::print("{:50}{:>8}{:>8}{:>12.2f} {}\n", action, failures.tried, failed(failures),
                 100 * upper, outcomes);
    }
    fmt::print("\nserver's memory, KiB:");
    for (const std::int64_t kib : memory_) {
      fmt::print(" {}", kib);
    }
    fmt::print(
        "\nepisodes={}\nsteps={}\nfailed_steps={}\nactions_above_half_a_percent={}\nrefused={}"
        "\nreplays_that_differ={}\nmemory_first_kib={}\nmemory_last_kib={}\n",
        done_, steps_, failed_, above, refused_, differing_, memory_.empty() ? 0 : memory_.front(),
        memory_.empty() ? 0 : memory_.back());
    return 0;
  }

  SessionClient client_;
  ActionSpace space_;
  std::vector<std::string> modules_;
  Random random_{20261128};
  std::map<std::string, Episode> going_;
  std::map<std::int64_t, std::string> asked_;  // request -> episode
  std::set<std::int64_t> closing_;
  std::map<std::string, Failures> actions_;
  std::vector<std::int64_t> memory_;
  std::int64_t started_ = 0;
  std::int64_t done_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t failed_ = 0;
  std::int64_t refused_ = 0;
  std::int64_t differing_ = 0;
};

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: engine_episodes SERVER EPISODES MODULE...\n", stderr);
    return 2;
  }
  auto client = hone::SessionClient::start(argv[1]);
  auto space = hone::ActionSpace::create(19);
  if (!client || !space) {
    std::fputs("engine_episodes: no session server\n", stderr);
    return 1;
  }
  return hone::Runner(*std::move(client), *std::move(space),
                      std::vector<std::string>(argv + 3, argv + argc))
      .run(std::atoll(argv[2]));
}
