#include "engine/session/message_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "engine/session/message_writer.h"

namespace hone {
namespace {

TEST(MessageReader, CarriesTextOfAnySizeAndFiles) {
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

TEST(MessageReader, WhatCameBehindAMessageIsTheNextOne) {
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

TEST(MessageReader, TheOtherSidesEndIsAnError) {
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  ends->theirs = Descriptor();
  MessageReader reader;
  const Result<Message> message = reader.receive(ends->ours.get());
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(send_message(ends->ours.get(), "anybody there?"));
}

std::string framed(const std::string& text) {
  const std::uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text;
}

void write_bytes(const Descriptor& channel, const std::string& bytes) {
  ASSERT_EQ(write(channel.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

TEST(MessageReader, DoesNotWaitForTheRestOfAMessage) {
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  const int channel = ends->ours.get();
  MessageReader reader;
  const auto nothing = [&] {
    const Result<std::optional<Message>> message = reader.receive_ready(channel, Files::refused);
    return message && !*message;
  };
  EXPECT_TRUE(nothing());
  EXPECT_FALSE(reader.holds_more());
  const std::string bytes = framed("hello") + framed("and more");
  // A part of the length, then of the text.
  write_bytes(ends->theirs, bytes.substr(0, 4));
  EXPECT_TRUE(nothing());
  EXPECT_TRUE(reader.holds_more());
  write_bytes(ends->theirs, bytes.substr(4, 6));
  EXPECT_TRUE(nothing());
  EXPECT_TRUE(reader.holds_more());
  write_bytes(ends->theirs, bytes.substr(10));
  for (const char* const text : {"hello", "and more"}) {
    const Result<std::optional<Message>> message = reader.receive_ready(channel, Files::refused);
    ASSERT_TRUE(message && *message);
    EXPECT_EQ((*message)->text, text);
    EXPECT_EQ(reader.holds_more(), std::string(text) == "hello");
  }
  ends->theirs = Descriptor();
  EXPECT_EQ(reader.receive_ready(channel, Files::refused).error().code, ErrorCode::unavailable);
}

TEST(MessageReader, RefusesALengthAboveItsOwn) {
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  MessageReader reader(5);
  write_bytes(ends->theirs, framed("12345") + framed("123456"));
  EXPECT_TRUE(reader.receive_ready(ends->ours.get(), Files::refused));
  const auto message = reader.receive_ready(ends->ours.get(), Files::refused);
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::too_large);
}

TEST(MessageReader, KeepsNoFilesThatAreRefused) {
  const auto open_files = [] {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  const Descriptor file(memfd_create("test", MFD_CLOEXEC));
  const auto before = open_files();
  MessageReader reader;
  ASSERT_TRUE(send_message(ends->theirs.get(), "with a file", {file.get()}));
  const auto message = reader.receive_ready(ends->ours.get(), Files::refused);
  ASSERT_TRUE(message && *message);
  EXPECT_EQ((*message)->text, "with a file");
  EXPECT_TRUE((*message)->files.empty());
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace hone
