// The time in which at least one honed served. Leases run out by that time alone: while there was
// no honed, or no database, no worker could send a heartbeat, and while the clock of the database's
// machine was set, no time went by. Not thread safe.
#pragma once

#include <cstdint>

#include "server/store/async.h"

namespace hone {

class PgPool;

class ServedTime {
 public:
  explicit ServedTime(PgPool& pool) : pool_(pool) {}

  // Says that a honed serves now; every honed does so about once a second, before it ends leases.
  // What went by since anybody last said so, less 2 s, is given to the leases as further time, at
  // most lease_seconds from now; where the clock was set back, none lasts longer than that. The
  // first time ever all get lease_seconds. So a lease whose worker is gone ends after lease_seconds
  // of service, however often honeds come and go. Gives how many leases were changed.
  Async<std::int64_t> note(std::int64_t lease_seconds);

 private:
  PgPool& pool_;
};

}  // namespace hone
