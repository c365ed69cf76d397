#include "common/protocol/lease.h"

#include "common/protocol/attempt_result.h"
#include "common/protocol/fields.h"
#include "common/protocol/rules.h"

namespace hone {
namespace {

LeaseRequest read_request(ObjectReader& reader) {
  LeaseRequest request;
  request.version = reader.integer("version", 1, 1'000'000);
  request.worker = read_name(reader, "worker");
  request.wait_seconds = reader.optional_integer("wait_seconds", 0, 60).value_or(20);
  request.beside = reader.optional_text("beside", {.max_size = 64}).value_or("");
  return request;
}

Lease read_lease(ObjectReader& reader) {
  Lease lease;
  lease.version = reader.integer("version", 1, 1'000'000);
  lease.attempt = reader.text("attempt", {.max_size = 64});
  lease.attempt_number = reader.integer("attempt_number", 1, 1'000'000);
  lease.job = reader.text("job", {.max_size = 64});
  lease.campaign = reader.optional_text("campaign", {.max_size = 64}).value_or("");
  lease.ttl_seconds = reader.integer("ttl_seconds", 1, 86'400);
  reader.object("target",
                [&lease](ObjectReader& target) { lease.target = read_target_spec(target); });
  lease.stage = reader.one_of("stage", parse_stage, kStageChoices);
  lease.baseline = reader.one_of("baseline", parse_baseline_kind, kBaselineKindChoices);
  lease.seed = read_seed(reader, "seed", 1);
  lease.rules = read_rules(reader, "rules");
  lease.trust = reader.optional_one_of("trust", parse_trust_level, kTrustLevelChoices)
                    .value_or(TrustLevel::guest);
  lease.self_check = reader.optional_truth("self_check").value_or(false);
  lease.profile = reader.optional_truth("profile").value_or(false);
  lease.traceparent = reader.optional_text("traceparent", {.max_size = 64}).value_or("");
  return lease;
}

HeartbeatReply read_heartbeat_reply(ObjectReader& reader) {
  HeartbeatReply reply;
  reply.ttl_seconds = reader.integer("ttl_seconds", 1, 86'400);
  reply.cancelled = reader.truth("cancelled");
  return reply;
}

HandBack read_hand_back(ObjectReader& reader) {
  HandBack hand_back;
  hand_back.reason = reader.text("reason", {.max_size = kMaxReasonBytes});
  hand_back.count_attempt = reader.optional_truth("count_attempt").value_or(true);
  return hand_back;
}

// The version stands before everything else: fields of another version mean nothing here.
std::optional<Error> other_version(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  const auto version = reader.optional_integer("version", 1, 1'000'000);
  if (version && *version != kMessageVersion) {
    return Error{ErrorCode::unsupported,
                 "the peer speaks message version " + std::to_string(*version) +
                     ", this program version " + std::to_string(kMessageVersion),
                 {{"/version", "must be " + std::to_string(kMessageVersion)}}};
  }
  return std::nullopt;
}

}  // namespace

Result<LeaseRequest> parse_lease_request(const Json& document) {
  if (auto error = other_version(document)) {
    return *std::move(error);
  }
  return parse_document(document, UnknownKeys::ignore, "lease request", read_request);
}

Json to_json(const LeaseRequest& request) {
  return Json{{"version", request.version},
              {"worker", request.worker},
              {"wait_seconds", request.wait_seconds},
              {"beside", null_if_empty(request.beside)}};
}

Json to_json(const Lease& lease) {
  return Json{{"version", lease.version},
              {"attempt", lease.attempt},
              {"attempt_number", lease.attempt_number},
              {"job", lease.job},
              {"campaign", null_if_empty(lease.campaign)},
              {"ttl_seconds", lease.ttl_seconds},
              {"target", to_json(lease.target)},
              {"stage", spelling(lease.stage)},
              {"baseline", spelling(lease.baseline)},
              {"seed", lease.seed},
              {"rules", rules_to_json(lease.rules)},
              {"trust", std::string(to_string(lease.trust))},
              {"self_check", lease.self_check},
              {"profile", lease.profile},
              {"traceparent", null_if_empty(lease.traceparent)}};
}

Result<Lease> parse_lease(const Json& document) {
  if (auto error = other_version(document)) {
    return *std::move(error);
  }
  return parse_document(document, UnknownKeys::ignore, "lease", read_lease);
}

Json to_json(const HeartbeatReply& reply) {
  return Json{{"ttl_seconds", reply.ttl_seconds}, {"cancelled", reply.cancelled}};
}

Result<HeartbeatReply> parse_heartbeat_reply(const Json& document) {
  return parse_document(document, UnknownKeys::ignore, "heartbeat reply", read_heartbeat_reply);
}

Json to_json(const HandBack& hand_back) {
  return Json{{"reason", hand_back.reason}, {"count_attempt", hand_back.count_attempt}};
}

Result<HandBack> parse_hand_back(const Json& document) {
  return parse_document(document, UnknownKeys::ignore, "hand-back", read_hand_back);
}

}  // namespace hone
