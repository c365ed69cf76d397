// The services that serve what targets build, and what is left of their error budgets. Not thread
// safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/protocol/service_spec.h"
#include "server/store/async.h"
#include "server/store/page.h"
#include "server/store/reader.h"

namespace hone {

struct ServiceView {
  std::string target;
  ServiceSpec spec;
  std::string updated_at;                       // RFC 3339
  std::string updated_by;                       // name of a token
  std::optional<std::int64_t> policy_in_force;  // version; what builds are given
  Json budget;            // null: Prometheus has not told since the service was described
  std::string budget_at;  // RFC 3339; empty likewise
  std::string canary;     // id of the one under way; empty: none is
};

// A service whose budget is to be asked for.
struct UnaskedService {
  std::string target;
  ServiceSpec spec;
  std::string described;  // which of its descriptions this is, in the store's own words
};

class ServiceStore {
 public:
  explicit ServiceStore(PgPool& pool) : pool_(pool) {}

  // Describes the service that serves a target, in place of an earlier description; what was known
  // of its budget is forgotten, since the objective may be another. not_found for the target. `by`
  // is a token's id.
  Async<void> put(std::string target, ServiceSpec spec, std::string by);
  // not_found if the target has none.
  Async<ServiceSpec> find(std::string target);
  // By the names of their targets.
  Async<Page<ServiceView>> list(Reader reader, PageRequest page);

  // Those whose budget nobody has asked for within so many seconds; whoever is given one asks.
  Async<std::vector<UnaskedService>> take_unasked(std::int64_t seconds);
  // What Prometheus told of a service as it was described then: of another description it says
  // nothing, and is not noted.
  Async<void> note_budget(UnaskedService asked, Json budget);

 private:
  PgPool& pool_;
};

}  // namespace hone
