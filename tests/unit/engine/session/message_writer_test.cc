#include "engine/session/message_writer.h"

#include <sys/mman.h>

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "engine/session/message_reader.h"

namespace hone {
namespace {

TEST(MessageWriter, KeepsWhatThereIsNoRoomFor) {
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  // Larger than the socket holds at once.
  const std::string large(std::size_t{4} << 20U, 'x');
  MessageWriter writer;
  ASSERT_TRUE(writer.start(ends->ours.get(), large));
  EXPECT_TRUE(writer.sending());
  MessageReader reader;
  std::optional<Message> message;
  for (int i = 0; i < 10'000 && !message; ++i) {
    Result<std::optional<Message>> some = reader.receive_ready(ends->theirs.get(), Files::refused);
    ASSERT_TRUE(some);
    message = *std::move(some);
    ASSERT_TRUE(writer.send_ready(ends->ours.get()));
  }
  ASSERT_TRUE(message);
  EXPECT_EQ(message->text, large);
  EXPECT_FALSE(writer.sending());
  ASSERT_TRUE(writer.start(ends->ours.get(), "short"));
  EXPECT_FALSE(writer.sending());
  EXPECT_EQ(reader.receive(ends->theirs.get())->text, "short");
}

TEST(MessageWriter, FilesGoAtOnceOrNotAtAll) {
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  const Descriptor file(memfd_create("test", MFD_CLOEXEC));
  MessageWriter writer;
  ASSERT_TRUE(writer.start(ends->ours.get(), "one", {file.get()}));
  EXPECT_EQ(MessageReader().receive(ends->theirs.get())->files.size(), 1U);
  MessageWriter full;
  ASSERT_TRUE(full.start(ends->ours.get(), std::string(std::size_t{4} << 20U, 'x')));
  EXPECT_EQ(writer.start(ends->ours.get(), "another", {file.get()}).error().code,
            ErrorCode::unavailable);
}

TEST(MessageWriter, TheOtherSidesEndIsAnError) {
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  MessageWriter writer;
  ASSERT_TRUE(writer.start(ends->ours.get(), std::string(std::size_t{4} << 20U, 'x')));
  ends->theirs = Descriptor();
  EXPECT_EQ(writer.send_ready(ends->ours.get()).error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace hone
