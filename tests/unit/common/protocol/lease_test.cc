#include "common/protocol/lease.h"

#include "tests/unit/common/protocol/refusals.h"

namespace hone {
namespace {

Lease full_lease() {
  Lease lease;
  lease.attempt = "a1";
  lease.attempt_number = 2;
  lease.job = "j1";
  lease.campaign = "c1";
  lease.ttl_seconds = 60;
  lease.target.name = "lz4";
  lease.target.source.artifact = std::string(64, '0');
  lease.target.build.commands = {{"make"}};
  lease.target.build.binaries = {"lz4"};
  lease.target.benchmark.command = {"{build}/lz4"};
  lease.stage = Stage::confirm;
  lease.seed = 12345;
  lease.rules.resize(1);
  lease.self_check = true;
  lease.profile = true;
  return lease;
}

TEST(Lease, RoundTripsAndIgnoresWhatIsNew) {
  Json document = to_json(full_lease());
  document["later"] = 1;
  document["target"]["later"] = 1;
  const Result<Lease> back = parse_lease(document);
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  EXPECT_EQ(to_json(*back), to_json(full_lease()));
  EXPECT_EQ(back->target, full_lease().target);
  EXPECT_EQ(back->campaign, "c1");
  document.erase("campaign");  // as an older honed has it
  EXPECT_EQ(parse_lease(document)->campaign, "");
}

TEST(Lease, AnotherVersionIsUnsupported) {
  const Json other = with(to_json(full_lease()), "/version", kMessageVersion + 1);
  const Result<Lease> lease = parse_lease(other);
  ASSERT_FALSE(lease.has_value());
  EXPECT_EQ(lease.error().code, ErrorCode::unsupported);
  EXPECT_EQ(refused(lease), Pointers{"/version"});
}

TEST(LeaseRequest, RoundTripsAndIsChecked) {
  const LeaseRequest request{.worker = "w1", .wait_seconds = 5, .beside = "a1"};
  const Result<LeaseRequest> back = parse_lease_request(to_json(request));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->worker, "w1");
  EXPECT_EQ(back->wait_seconds, 5);
  EXPECT_EQ(back->beside, "a1");
  const Json good = to_json(request);
  EXPECT_EQ(refused(parse_lease_request(with(good, "/version", nullptr))), Pointers{"/version"});
  EXPECT_EQ(refused(parse_lease_request(with(good, "/version", 2))), Pointers{"/version"});
  EXPECT_EQ(refused(parse_lease_request(with(good, "/worker", "W 1"))), Pointers{"/worker"});
  EXPECT_EQ(refused(parse_lease_request(with(good, "/wait_seconds", 61))),
            Pointers{"/wait_seconds"});
  EXPECT_EQ(refused(parse_lease_request(with(good, "/beside", 7))), Pointers{"/beside"});
  EXPECT_EQ(refused(parse_lease_request(Json::array())), Pointers{""});
}

TEST(HeartbeatReply, RoundTrips) {
  const Result<HeartbeatReply> back =
      parse_heartbeat_reply(to_json(HeartbeatReply{.ttl_seconds = 30, .cancelled = true}));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->ttl_seconds, 30);
  EXPECT_TRUE(back->cancelled);
}

TEST(HandBack, RoundTripsAndNeedsAReason) {
  const Result<HandBack> back =
      parse_hand_back(to_json(HandBack{.reason = "Ctrl-C", .count_attempt = false}));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->reason, "Ctrl-C");
  EXPECT_FALSE(back->count_attempt);
  EXPECT_EQ(refused(parse_hand_back(Json::object())), Pointers{"/reason"});
}

}  // namespace
}  // namespace hone
