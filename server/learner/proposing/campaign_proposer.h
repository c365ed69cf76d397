// Drives a campaign over REST: set after set, until its budget is used up or nothing is left to be
// tried, then says which candidates to confirm.
//
// It remembers nothing: every step is decided from what honed says, so it may be killed at any
// point and started again. Two at once propose more than either means to, and no harm is done. Not
// thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/client/client.h"
#include "common/pipelines/successor_weights.h"

namespace hone {

struct ProposerSettings {
  std::string campaign;            // id; one that takes more sets (proposing_seconds)
  std::size_t generation = 8;      // candidates a set; as many as workers race at once
  std::vector<std::string> files;  // that are treated apart besides those that are found to be hot
                                   // (campaign_files.h), before them
  // By which passes are drawn in campaigns for size; null: all alike, as in those for time.
  std::shared_ptr<const SuccessorWeights> successors;
  std::stop_token stop;
  std::function<void(std::string_view)> say;  // a line for people
};

// Returns when the campaign takes no more candidates, however that came. The first set must be
// there or come from somebody else. invalid_argument for a campaign that takes one set only;
// cancelled on a stop request; errors of the client, unavailable only after two minutes of it.
Result<void> propose_for(const Client& client, const ProposerSettings& settings);

}  // namespace hone
