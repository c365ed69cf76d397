// Whose sessions are open: each token's own, so many at most, gone when they are not used. Not
// thread safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct SessionLimits {
  std::size_t per_token = 64;
  std::size_t all = 2'000;
  std::chrono::seconds idle{3'600};
};

struct SessionEntry {
  std::string id;     // UUID
  std::string owner;  // a token's id
  std::chrono::system_clock::time_point created;
  std::chrono::steady_clock::time_point used;
};

class SessionTable {
 public:
  explicit SessionTable(SessionLimits limits) : limits_(limits) {}

  // A new entry's id. unavailable past a limit, with the limit.
  Result<std::string> add(const std::string& owner);
  // Whether the session is the caller's, or anybody's for an admin; counts as a use. not_found
  // otherwise: another's session is not told from none.
  Result<void> use(const std::string& id, const std::string& caller, bool admin);
  void remove(const std::string& id) { entries_.erase(id); }
  void clear() { entries_.clear(); }

  // The caller's, or all for an admin, the oldest first.
  std::vector<SessionEntry> list(const std::string& caller, bool admin) const;
  // Whose there are, each once.
  std::vector<std::string> owners() const;
  // Takes an owner's out: its token is no longer good.
  std::vector<std::string> take_of(const std::string& owner);
  // Takes those out that have not been used for too long.
  std::vector<std::string> take_expired();
  std::size_t size() const { return entries_.size(); }

 private:
  template <class Wanted>
  std::vector<std::string> take_if(const Wanted& wanted);

  SessionLimits limits_;
  std::map<std::string, SessionEntry> entries_;
};

}  // namespace hone
