// SessionServer: what comes over the processes' channels, and what does not come in time.
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "engine/session/server_session.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void SessionServer::add_channels(std::vector<pollfd>& polled) const {
  for (const auto& [name, session] : sessions_) {
    if (session->process) {
      polled.push_back({session->process->channel(), POLLIN, 0});
    }
  }
}

std::chrono::milliseconds SessionServer::next_deadline() const {
  std::chrono::milliseconds next = settings_.idle_limit;
  for (const auto& [name, session] : sessions_) {
    if (session->stage == Stage::running || session->stage == Stage::loading) {
      const auto left =
          settings_.pipeline_limit -
          std::chrono::duration_cast<std::chrono::milliseconds>(session->process->running_for());
      next = std::clamp(left, std::chrono::milliseconds(1), next);
    } else if (session->stage == Stage::idle) {
      const auto left =
          settings_.idle_limit -
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - session->used);
      next = std::clamp(left, std::chrono::milliseconds(1), next);
    }
  }
  return next;
}

// The sessions that have something to read, or too little left to wait for.
std::vector<std::string> SessionServer::due(std::span<const pollfd> polled) const {
  std::vector<int> readable;
  for (const pollfd& channel : polled) {
    if (channel.revents != 0) {
      readable.push_back(channel.fd);
    }
  }
  const auto now = Clock::now();
  std::vector<std::string> names;
  for (const auto& [name, session] : sessions_) {
    if (!session->process) {
      continue;
    }
    const bool over = session->stage == Stage::idle
                          ? now - session->used >= settings_.idle_limit
                          : session->process->running_for() >= settings_.pipeline_limit;
    if (over || std::ranges::find(readable, session->process->channel()) != readable.end()) {
      names.push_back(name);
    }
  }
  return names;
}

void SessionServer::handle(std::span<const pollfd> polled) {
  for (const std::string& name : due(polled)) {
    const auto found = sessions_.find(name);
    if (found == sessions_.end() || !found->second->process) {
      continue;
    }
    Session& session = *found->second;
    // Asked again: what came before in this turn may have put another process behind the number.
    pollfd channel = {session.process->channel(), POLLIN, 0};
    if (poll(&channel, 1, 0) > 0) {
      const Result<Message> message = session.process->receive();
      if (message) {
        take(session, message->text);
      } else {
        died(session);
      }
    } else if (session.stage == Stage::idle) {
      if (Clock::now() - session.used >= settings_.idle_limit) {
        session.process.reset();
        session.stage = Stage::parked;
      }
    } else if (session.process->running_for() >= settings_.pipeline_limit) {
      session.over_time = true;
      died(session);
    }
    advance(name);
  }
}

}  // namespace hone
