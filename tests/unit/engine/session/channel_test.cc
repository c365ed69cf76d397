#include "engine/session/channel.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Channel, CarriesTextOfAnySizeAndFiles) {
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  const Descriptor file(memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(write(file.get(), "hello", 5), 5);
  // Larger than the socket holds at once.
  const std::string large(std::size_t{4} << 20U, 'x');
  std::thread sender([&] {
    EXPECT_TRUE(send_message(ends->ours.get(), "", {file.get()}));
    EXPECT_TRUE(send_message(ends->ours.get(), large));
    EXPECT_TRUE(send_message(ends->ours.get(), "the end"));
  });
  MessageReader reader;
  const Result<Message> first = reader.receive(ends->theirs.get());
  const Result<Message> second = reader.receive(ends->theirs.get());
  const Result<Message> third = reader.receive(ends->theirs.get());
  sender.join();
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(third->text, "the end");
  EXPECT_EQ(first->text, "");
  ASSERT_EQ(first->files.size(), 1U);
  char bytes[5] = {};
  EXPECT_EQ(pread(first->files[0].get(), bytes, 5, 0), 5);
  EXPECT_EQ(std::string(bytes, 5), "hello");
  EXPECT_EQ(second->text, large);
  EXPECT_TRUE(second->files.empty());
}

TEST(Channel, WhatCameBehindAMessageIsTheNextOne) {
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  for (const char* const text : {"one", "", "three"}) {
    ASSERT_TRUE(send_message(ends->ours.get(), text));
  }
  ends->ours = Descriptor();
  MessageReader reader;
  for (const char* const text : {"one", "", "three"}) {
    const Result<Message> message = reader.receive(ends->theirs.get());
    ASSERT_TRUE(message);
    EXPECT_EQ(message->text, text);
  }
  EXPECT_FALSE(reader.receive(ends->theirs.get()));
}

TEST(Channel, TheOtherSidesEndIsAnError) {
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  ends->theirs = Descriptor();
  MessageReader reader;
  const Result<Message> message = reader.receive(ends->ours.get());
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(send_message(ends->ours.get(), "anybody there?"));
}

}  // namespace
}  // namespace hone
