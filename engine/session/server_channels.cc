// SessionServer: what comes over the processes' channels, and what does not come in time.
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <optional>
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
    if (session->process && session->stage != Stage::coming) {
      const int room = there(session->process).sending() ? POLLOUT : 0;
      polled.push_back({there(session->process).channel(), static_cast<short>(POLLIN | room), 0});
      if (const int asked = there(session->process).copy_asked(); asked >= 0) {
        polled.push_back({asked, POLLIN, 0});
      }
    }
  }
}

// Of what its process is at; not above 0 if there is no more.
std::chrono::nanoseconds SessionServer::time_left(const Session& session,
                                                  Clock::time_point now) const {
  switch (session.stage) {
    case Stage::loading:
    case Stage::running:
      return there(session.process).time_left(settings_.pipeline_limit);
    case Stage::idle:
      return settings_.idle_limit - (now - session.used);
    case Stage::coming:
    case Stage::parked:
      break;
  }
  return settings_.idle_limit;
}

std::chrono::milliseconds SessionServer::next_deadline() const {
  const Clock::time_point now = Clock::now();
  std::chrono::milliseconds next = settings_.idle_limit;
  for (const auto& [name, session] : sessions_) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(time_left(*session, now));
    next = std::clamp(left, std::chrono::milliseconds(1), next);
  }
  return next;
}

// The sessions whose processes have something to say or to read, or too little left to wait for.
std::vector<std::string> SessionServer::due(std::span<const pollfd> polled) const {
  std::vector<int> ready;
  for (const pollfd& channel : polled) {
    if (channel.revents != 0) {
      ready.push_back(channel.fd);
    }
  }
  const Clock::time_point now = Clock::now();
  std::vector<std::string> names;
  for (const auto& [name, session] : sessions_) {
    if (!session->process || session->stage == Stage::coming) {
      continue;
    }
    const SessionProcess& process = there(session->process);
    const auto is_ready = [&](int file) { return std::ranges::find(ready, file) != ready.end(); };
    if (time_left(*session, now) <= std::chrono::nanoseconds(0) || is_ready(process.channel()) ||
        is_ready(process.copy_asked())) {
      names.push_back(name);
    }
  }
  return names;
}

void SessionServer::handle(std::span<const pollfd> polled) {
  for (const std::string& name : due(polled)) {
    const auto found = sessions_.find(name);
    // What came before in this turn may have changed what it is at.
    if (found != sessions_.end() && found->second->process &&
        found->second->stage != Stage::coming) {
      handle_process(*found->second);
      advance(name);
      bound_replies(name);
    }
  }
}

// Of replies that are not whole yet, all processes together make the server hold so much. The
// process that holds the most is ended when it is more, as small ones must get through whatever
// another does. Looked at where one has just come nearer: behind the session of that name.
void SessionServer::bound_replies(const std::string& name) {
  const auto held = [](const auto& entry) {
    return entry.second->process ? there(entry.second->process).held_bytes() : 0;
  };
  const auto grown = sessions_.find(name);
  if (grown == sessions_.end() || held(*grown) == 0) {
    return;
  }
  std::size_t all = 0;
  auto most = grown;
  for (auto entry = sessions_.begin(); entry != sessions_.end(); ++entry) {
    all += held(*entry);
    most = held(*entry) > held(*most) ? entry : most;
  }
  if (all > settings_.max_replies_bytes) {
    const std::string ended = most->first;
    end_for(*most->second,
            fail(ErrorCode::too_large, "of replies under way, all sessions together may have " +
                                           std::to_string(settings_.max_replies_bytes) +
                                           " bytes, and its " + std::to_string(held(*most)) +
                                           " were the most of " + std::to_string(all)));
    advance(ended);
  }
}

void SessionServer::handle_process(Session& session) {
  SessionProcess& process = there(session.process);
  process.let_copy();
  const Result<void> sent = process.send_ready();
  const Result<std::optional<std::string>> reply =
      sent ? process.receive() : Result<std::optional<std::string>>(sent.error());
  const bool over = time_left(session, Clock::now()) <= std::chrono::nanoseconds(0);
  if (session.stage == Stage::idle) {
    if (!reply || *reply || process.replying()) {
      died(session);  // it ended, or says what nobody asked for
    } else if (over) {
      session.process.reset();
      session.stage = Stage::parked;
    }
  } else if (!reply && reply.error().code != ErrorCode::unavailable) {
    end_for(session, reply.error());
  } else if (!reply) {
    died(session);
  } else if (*reply) {
    take(session, **reply);
  } else if (over) {
    session.over_time = true;
    died(session);
  }
}

}  // namespace hone
