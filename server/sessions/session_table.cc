#include "server/sessions/session_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/base/token.h"

namespace hone {

using SteadyClock = std::chrono::steady_clock;

Result<std::string> SessionTable::add(const std::string& owner) {
  const auto own = static_cast<std::size_t>(std::ranges::count_if(
      entries_, [&owner](const auto& entry) { return entry.second.owner == owner; }));
  if (own >= limits_.per_token) {
    return fail(ErrorCode::unavailable, "this token has " + std::to_string(own) +
                                            " sessions open, the most it may: delete one");
  }
  if (entries_.size() >= limits_.all) {
    return fail(ErrorCode::unavailable,
                std::to_string(entries_.size()) + " sessions are open, the most there may be");
  }
  SessionEntry entry{random_uuid(), owner, std::chrono::system_clock::now(), SteadyClock::now()};
  std::string id = entry.id;
  entries_.emplace(id, std::move(entry));
  return id;
}

Result<void> SessionTable::use(const std::string& id, const std::string& caller, bool admin) {
  const auto found = entries_.find(id);
  if (found == entries_.end() || (found->second.owner != caller && !admin)) {
    return fail(ErrorCode::not_found,
                "no session " + id +
                    " here: it has ended, or lives in another honed, the one that opened it");
  }
  found->second.used = SteadyClock::now();
  return {};
}

std::vector<SessionEntry> SessionTable::list(const std::string& caller, bool admin) const {
  std::vector<SessionEntry> entries;
  for (const auto& [id, entry] : entries_) {
    if (admin || entry.owner == caller) {
      entries.push_back(entry);
    }
  }
  std::ranges::sort(entries, [](const SessionEntry& a, const SessionEntry& b) {
    return std::pair(a.created, a.id) < std::pair(b.created, b.id);
  });
  return entries;
}

std::vector<std::string> SessionTable::owners() const {
  std::set<std::string> owners;
  for (const auto& [id, entry] : entries_) {
    owners.insert(entry.owner);
  }
  return {owners.begin(), owners.end()};
}

template <class Wanted>
std::vector<std::string> SessionTable::take_if(const Wanted& wanted) {
  std::vector<std::string> taken;
  std::erase_if(entries_, [&](const auto& entry) {
    if (!wanted(entry.second)) {
      return false;
    }
    taken.push_back(entry.first);
    return true;
  });
  return taken;
}

std::vector<std::string> SessionTable::take_of(const std::string& owner) {
  return take_if([&owner](const SessionEntry& entry) { return entry.owner == owner; });
}

std::vector<std::string> SessionTable::take_expired() {
  const auto limit = SteadyClock::now() - limits_.idle;
  return take_if([limit](const SessionEntry& entry) { return entry.used <= limit; });
}

}  // namespace hone
