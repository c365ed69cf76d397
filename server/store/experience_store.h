// The replay buffer: one row per counted result, read as a stream that skips nothing (line_page.h).
// Not thread safe.
#pragma once

#include "server/store/async.h"
#include "server/store/line_page.h"

namespace hone {

class ExperienceStore {
 public:
  explicit ExperienceStore(PgPool& pool) : pool_(pool) {}

  // The next lines. invalid_argument for a text that is no cursor, and numbers below 1.
  Async<LinePage> read(LineRequest wanted);

 private:
  PgPool& pool_;
};

}  // namespace hone
