// What several store classes read and write alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/attempt_result.h"
#include "common/protocol/candidate.h"
#include "common/protocol/target_spec.h"
#include "common/protocol/worker.h"
#include "server/store/page.h"
#include "server/store/pg/pg_result.h"

namespace hone {

// Whether text is a UUID in its usual form: anything else names nothing, and PostgreSQL need not be
// asked (it would answer with a syntax error).
bool is_uuid(std::string_view text);
// "no job '<id>'", not_found.
Error no_such(std::string_view what, std::string_view id);

// Columns of results (as r), read by read_reward().
inline constexpr const char* kRewardColumns =
    "r.reward, r.reward_low, r.reward_high, r.reward_confidence, r.reward_pairs, "
    "r.reward_detectable_effect, r.reward_noise";
// The same of another table alias, named <prefix>reward, <prefix>reward_low, ...
std::string reward_columns(std::string_view alias, std::string_view prefix);
// Nothing if there is no reward.
std::optional<RewardEstimate> read_reward(const PgRow& row, std::string_view prefix = {});

std::vector<Rule> rules_from_json(const Json& list);
MachineInfo machine_from_json(const Json& document);
std::vector<WorkerCheck> worker_checks_from_json(const Json& list);
TargetSpec target_spec_from_json(const Json& document);
SourceProfile source_profile_from_json(const Json& document);

// invalid_argument unless the limit is in range.
Result<void> check_limit(const PageRequest& page);
// A cursor that is the number of the last row given; nothing for "". invalid_argument if it is
// none.
Result<std::optional<std::int64_t>> number_cursor(const PageRequest& page);

// A cursor of a stream: the transaction and number of the last row given, "12-34".
struct StreamCursor {
  std::uint64_t transaction = 0;
  std::int64_t number = 0;
};
// `field` is the parameter's JSON Pointer, for the message.
Result<StreamCursor> parse_stream_cursor(std::string_view text, std::string_view field);
std::string to_text(const StreamCursor& cursor);
StreamCursor read_stream_cursor(const PgRow& row);  // columns transaction, number

}  // namespace hone
