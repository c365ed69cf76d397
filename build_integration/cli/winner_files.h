// The winner of a campaign as files, and how to use them in a build.
#pragma once

#include <filesystem>
#include <string>

#include "common/base/result.h"
#include "common/client/client.h"
#include "common/protocol/campaign.h"

namespace hone {

struct WinnerFiles {
  std::filesystem::path document;  // TARGET.policy.json
  std::filesystem::path index;     // TARGET.policy, what hone-cc reads
};

// Fetches the policy that was published for the campaign's winner and writes both files into
// `folder`. not_found if there is no winner.
Result<WinnerFiles> write_winner(const Client& client, const CampaignView& campaign,
                                 const std::filesystem::path& folder);

// The lines a build engineer copies: launcher variables for any CMake build. `root` is the source
// root that the rules are relative to, `launcher` the path of hone-cc.
std::string usage_text(const WinnerFiles& files, const std::filesystem::path& root,
                       const std::filesystem::path& launcher);

}  // namespace hone
