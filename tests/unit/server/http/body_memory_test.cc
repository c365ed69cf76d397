// What slow clients hold of a server's memory.
#include "server/http/body_memory.h"

#include <gtest/gtest.h>

#include "tests/unit/server/http/test_server.h"

namespace hone {
namespace {

using Room = BodyMemory::Room;

TEST(BodyMemory, IsBoundedForEachTokenAndForAll) {
  BodyMemory memory({.all = 100, .token = 60});
  BodyMemory::Hold first = memory.hold("a");
  EXPECT_EQ(first.add(40), Room::given);
  {
    BodyMemory::Hold second = memory.hold("a");
    EXPECT_EQ(second.add(21), Room::token_has_its_share);
    EXPECT_EQ(second.add(20), Room::given);
    EXPECT_EQ(first.add(1), Room::token_has_its_share);
    BodyMemory::Hold other = memory.hold("b");
    EXPECT_EQ(other.add(41), Room::all_is_used);
    EXPECT_EQ(other.add(40), Room::given);
    EXPECT_EQ(memory.bytes(), 100U);
  }
  EXPECT_EQ(memory.bytes(), 40U);
  EXPECT_EQ(first.add(20), Room::given);
}

TEST(BodyMemory, WhatIsHeldGoesWithItsHold) {
  BodyMemory memory({.all = 100, .token = 100});
  BodyMemory::Hold held = memory.hold("a");
  EXPECT_EQ(held.add(100), Room::given);
  BodyMemory::Hold moved = std::move(held);
  EXPECT_TRUE(moved);
  EXPECT_EQ(memory.bytes(), 100U);
  moved = memory.hold("b");
  EXPECT_EQ(memory.bytes(), 0U);
  EXPECT_EQ(moved.add(100), Room::given);
  moved = BodyMemory::Hold();
  EXPECT_FALSE(moved);
  EXPECT_EQ(memory.bytes(), 0U);
}

HttpLimits with_room(std::uint64_t all, std::uint64_t token) {
  HttpLimits limits = TestServer::quick_limits();
  limits.linger = std::chrono::milliseconds(100);
  limits.bodies = {.all = all, .token = token};
  return limits;
}

// A request whose body has 900 bytes, of which the last one is missing.
void send_all_but_one(RawHttpClient& client) {
  client.send(request_text("PUT", "/things/a", std::string(kJsonType) + "Content-Length: 900\r\n"));
  client.send(std::string(899, ' '));
}

TEST(BodyMemory, ATokenWhoseRequestsHoldItsShareIsToldToComeAgain) {
  TestServer server(with_room(1'000'000, 1'000));
  RawHttpClient slow(server.port());
  send_all_but_one(slow);
  server.settle();
  RawHttpClient next(server.port());
  send_all_but_one(next);
  const RawResponse refused = next.receive();
  EXPECT_EQ(refused.status, 429) << refused.body;
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(server.calls, 0);
  // Those that are under way go on, and what they held is free behind them.
  slow.send(" ");
  EXPECT_EQ(slow.receive().status, 200);
  RawHttpClient again(server.port());
  send_all_but_one(again);
  again.send(" ");
  EXPECT_EQ(again.receive().status, 200);
}

TEST(BodyMemory, WhereAllIsUsedTheServerIsUnavailable) {
  TestServer server(with_room(1'000, 1'000'000));
  RawHttpClient slow(server.port());
  send_all_but_one(slow);
  server.settle();
  RawHttpClient next(server.port());
  send_all_but_one(next);
  const RawResponse refused = next.receive();
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_EQ(refused.header("Retry-After"), "1");
  slow.close();
  ASSERT_TRUE(eventually([&] { return server.connections() == 0; }));
  RawHttpClient again(server.port());
  send_all_but_one(again);
  again.send(" ");
  EXPECT_EQ(again.receive().status, 200);
}

TEST(BodyMemory, AnAnswerThatNobodyTakesIsCutWhereAllIsUsed) {
  TestServer roomy;
  RawHttpClient patient(roomy.port());
  patient.send(request_text("GET", "/large"));
  EXPECT_EQ(patient.receive().body.size(), 32'000'000U);

  TestServer server(with_room(1'000'000, 1'000'000));
  RawHttpClient slow(server.port());
  slow.send(request_text("GET", "/large"));
  ASSERT_TRUE(eventually([&] { return server.calls == 1; }));
  // Long before a reader that reads nothing is cut for that.
  EXPECT_TRUE(eventually([&] { return server.connections() == 0; }));
}

}  // namespace
}  // namespace hone
