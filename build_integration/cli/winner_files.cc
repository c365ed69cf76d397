#include "build_integration/cli/winner_files.h"

#include <system_error>

#include <fmt/format.h>

#include "build_integration/cli/policy_file.h"
#include "build_integration/cli/policy_transfer.h"
#include "common/base/file.h"
#include "common/policy/index.h"

namespace hone {

Result<WinnerFiles> write_winner(const Client& client, const CampaignView& campaign,
                                 const std::filesystem::path& folder) {
  if (!campaign.policy_version) {
    return fail(ErrorCode::not_found, "campaign " + campaign.id + " has no winner");
  }
  std::error_code error;
  const std::filesystem::path base = std::filesystem::absolute(folder, error).lexically_normal();
  std::filesystem::create_directories(base, error);
  if (error) {
    return system_error("cannot make " + base.string(), error.value());
  }
  HONE_TRY(const SignedPolicy policy,
           fetch_policy(client, campaign.target, *campaign.policy_version));
  HONE_TRY(const ParsedPolicy parsed, policy_from_json(policy.document));
  HONE_TRY(const std::string index, compile_index(parsed.policy));
  WinnerFiles files{base / (campaign.target + ".policy.json"),
                    base / (campaign.target + ".policy")};
  HONE_CHECK(write_file_atomically(files.document, print_signed_policy(policy)));
  HONE_CHECK(write_file_atomically(files.index, index));
  return files;
}

std::string usage_text(const WinnerFiles& files, const std::filesystem::path& root,
                       const std::filesystem::path& launcher) {
  return fmt::format(
      "Policy: {}\n"
      "Use it in any CMake build of these sources with clang 19, at the level that was measured:\n"
      "  export HONE_POLICY={}\n"
      "  export HONE_ROOT={}\n"
      "  cmake -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \\\n"
      "        -DCMAKE_C_COMPILER_LAUNCHER={} -DCMAKE_CXX_COMPILER_LAUNCHER={} ...\n"
      "What was tuned, and why the rest was not: the same with HONE_STATE_DIR=DIR, then hone-cc "
      "--stats.\n",
      files.document.string(), files.index.string(), root.string(), launcher.string(),
      launcher.string());
}

}  // namespace hone
