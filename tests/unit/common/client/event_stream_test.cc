#include "common/client/event_stream.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::vector<ServerEvent> read_in_pieces(const std::string& text, std::size_t size) {
  EventParser parser;
  std::vector<ServerEvent> events;
  for (std::size_t at = 0; at < text.size(); at += size) {
    const Result<bool> more = parser.feed(text.substr(at, size), [&](const ServerEvent& event) {
      events.push_back(event);
      return true;
    });
    EXPECT_TRUE(more.has_value() && *more);
  }
  return events;
}

TEST(EventParser, EventsComeOutWhereverThePiecesAreCut) {
  const std::string text =
      ": comment\r\n\r\nid: 1\r\nevent: job\r\ndata: {\"a\":1}\r\n\r\n"
      "retry: 5\ndata:one\ndata: two\n\nid: 3\n\nevent: nothing\n\rdata: last\r\r";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    const std::vector<ServerEvent> events = read_in_pieces(text, size);
    ASSERT_EQ(events.size(), 3U) << "pieces of " << size;
    EXPECT_EQ(events[0].id, "1");
    EXPECT_EQ(events[0].event, "job");
    EXPECT_EQ(events[0].data, "{\"a\":1}");
    EXPECT_EQ(events[1].id, "1");  // an id holds until the next one
    EXPECT_EQ(events[1].event, "message");
    EXPECT_EQ(events[1].data, "one\ntwo");
    EXPECT_EQ(events[2].id, "3");
    EXPECT_EQ(events[2].data, "last");
  }
}

TEST(EventParser, ReceiverEndsTheReading) {
  EventParser parser;
  int seen = 0;
  const Result<bool> more = parser.feed("data: 1\n\ndata: 2\n\n", [&](const ServerEvent&) {
    ++seen;
    return false;
  });
  ASSERT_TRUE(more.has_value());
  EXPECT_FALSE(*more);
  EXPECT_EQ(seen, 1);
}

TEST(EventParser, EndlessLineIsAnError) {
  EventParser parser;
  const Result<bool> more =
      parser.feed(std::string((1U << 20U) + 1, 'x'), [](const ServerEvent&) { return true; });
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().code, ErrorCode::too_large);
}

}  // namespace
}  // namespace hone
