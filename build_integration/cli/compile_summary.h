// What the launcher's log (compiles.ndjson in HONE_STATE_DIR) says: how many objects were tuned and
// why the others were not. Thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

struct CompileSummary {
  std::int64_t compiles = 0;
  std::int64_t tuned = 0;
  std::int64_t meant = 0;       // a rule wanted it tuned
  std::int64_t failed = 0;      // no object was made (HONE_ON_FAILURE=error)
  std::int64_t unreadable = 0;  // lines that are no record, for example cut off by a full disk
  std::map<std::string, std::int64_t> untuned_reasons;
};

// Never fails: what is not a record is counted as unreadable.
CompileSummary summarize_compiles(std::string_view ndjson);

std::string print_summary(const CompileSummary& summary);
Json summary_to_json(const CompileSummary& summary);

}  // namespace hone
