// Registered targets. Each change of a spec is a new version; campaigns and jobs keep the version
// they were made for. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/protocol/source_profile.h"
#include "common/protocol/target_spec.h"
#include "server/store/async.h"
#include "server/store/page.h"
#include "server/store/reader.h"

namespace hone {

struct TargetRecord {
  std::string name;
  std::int64_t version = 1;
  TargetSpec spec;
  std::string created_at;                // of the target, RFC 3339
  std::string updated_at;                // of this version
  std::optional<SourceProfile> profile;  // of this version; by any worker that could tell
};

struct PutTarget {
  TargetRecord record;
  bool created = false;  // the target was not known before
};

class TargetStore {
 public:
  explicit TargetStore(PgPool& pool) : pool_(pool) {}

  // Registers a target or a new version of it; a spec equal to the newest version changes nothing.
  // `created_by` is a token's id.
  Async<PutTarget> put(TargetSpec spec, std::string created_by);
  // The newest version. not_found.
  Async<TargetRecord> find(std::string name);
  // A given version. not_found.
  Async<TargetRecord> find_version(std::string name, std::int64_t version);
  // The newest versions, by name, of those that the reader sees.
  Async<Page<TargetRecord>> list(PageRequest page, Reader reader = {});

 private:
  PgPool& pool_;
};

}  // namespace hone
