// Messages between our own programs, of which one may be a release older: fields that are not known
// are passed over, wherever in a message they stand. What people write is strict (its own tests).
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/protocol/attempt_result.h"
#include "common/protocol/campaign.h"
#include "common/protocol/job.h"
#include "common/protocol/lease.h"
#include "common/protocol/worker.h"

namespace hone {
namespace {

// Objects whose keys are data.
bool is_map(const std::string& key) {
  return key == "labels" || key == "knobs";
}

// The same message as a later release could send it: with a field more in every object.
Json from_the_future(const Json& message) {
  Json later = message;
  if (later.is_object()) {
    for (const auto& [key, value] : message.items()) {
      later[key] = is_map(key) ? value : from_the_future(value);
    }
    later["from_the_future"] = Json{{"a", {1, nullptr, "x"}}};
  } else if (later.is_array()) {
    for (Json& item : later) {
      item = from_the_future(item);
    }
  }
  return later;
}

template <class T>
Json read_again(const Json& document, const Result<T>& read) {
  EXPECT_TRUE(read.has_value()) << read.error().describe() << "\n" << document.dump();
  return read.has_value() ? to_json(*read) : Json();
}

Rule example_rule() {
  Rule rule;
  rule.source = "lib/*.c";
  rule.decision.knobs = {{"unroll-count", "4"}};
  return rule;
}

AttemptResult example_result() {
  AttemptResult result;
  result.outcome = Outcome::ok;
  result.verdict = Verdict::faster;
  result.reward = RewardEstimate{0.021, 0.011, 0.031, 0.95, 48, 0.008, 0.012};
  result.samples = {{0, 1, 0, 3, "text", Metric::cpu_time, SampleRole::baseline, 0.25}};
  result.decisions = {{"a.c", "a.o", std::string(64, 'c'), "abc", true, true, "", -0.25}};
  result.binaries = {{"a", std::string(64, 'd'), 1000, 400}};
  result.baseline_binaries = result.binaries;
  result.machine = {"host", "cpu", 2, 23000, "6.1"};
  result.toolchain = {"clang", std::string(64, 'f'), "0.1.0", "ld"};
  result.self_check =
      SelfCheck{Verdict::no_change, {-0.001, -0.004, 0.003, 0.95, 16, 0.005, 0.006}, 1.25};
  result.profile = SourceProfile{"", {{"a.c", 0.75}}};
  return result;
}

TEST(Compatibility, ALeaseAndItsRequest) {
  const Json request = to_json(LeaseRequest{.worker = "w1", .wait_seconds = 5, .beside = "a1"});
  EXPECT_EQ(read_again(request, parse_lease_request(from_the_future(request))), request);
  Lease lease;
  lease.attempt = "a1";
  lease.job = "j1";
  lease.target.name = "lz4";
  lease.target.source.artifact = std::string(64, '0');
  lease.target.build.commands = {{"make"}};
  lease.target.build.binaries = {"lz4"};
  lease.target.benchmark.command = {"{build}/lz4", "{input}"};
  lease.target.benchmark.inputs = {{"text", "text.bin", ""}};
  lease.rules = {example_rule()};
  const Json sent = to_json(lease);
  EXPECT_EQ(read_again(sent, parse_lease(from_the_future(sent))), sent);
}

TEST(Compatibility, WhatBecomesOfALease) {
  const Json beat = to_json(HeartbeatReply{.ttl_seconds = 7, .cancelled = true});
  EXPECT_EQ(read_again(beat, parse_heartbeat_reply(from_the_future(beat))), beat);
  const Json back = to_json(HandBack{.reason = "disk full", .count_attempt = true});
  EXPECT_EQ(read_again(back, parse_hand_back(from_the_future(back))), back);
  const Json result = to_json(example_result());
  EXPECT_EQ(read_again(result, parse_attempt_result(from_the_future(result), UnknownKeys::ignore)),
            result);
}

TEST(Compatibility, WhatIsShown) {
  WorkerView worker;
  worker.name = "w1";
  worker.machine = {"host", "cpu", 2, 23000, "6.1"};
  worker.labels = {{"room", "7"}};
  const Json registered = to_json(worker);
  EXPECT_EQ(read_again(registered, parse_worker(from_the_future(registered), UnknownKeys::ignore)),
            registered);
  CampaignView campaign;
  campaign.id = "c1";
  campaign.target = "lz4";
  campaign.best_race = example_result().reward;
  const Json shown = to_json(campaign);
  EXPECT_EQ(read_again(shown, parse_campaign_view(from_the_future(shown))), shown);
  JobView job;
  job.id = "j1";
  job.target = "lz4";
  job.attempts = {{"a1", 1, "w1", AttemptState::leased, "", "2026-01-01T00:00:00.000Z", ""}};
  const Json view = to_json(job);
  EXPECT_EQ(read_again(view, parse_job_view(from_the_future(view))), view);
}

}  // namespace
}  // namespace hone
