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
  });
  const Result<Message> first = receive_message(ends->theirs.get());
  const Result<Message> second = receive_message(ends->theirs.get());
  sender.join();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->text, "");
  ASSERT_EQ(first->files.size(), 1U);
  char bytes[5] = {};
  EXPECT_EQ(pread(first->files[0].get(), bytes, 5, 0), 5);
  EXPECT_EQ(std::string(bytes, 5), "hello");
  EXPECT_EQ(second->text, large);
  EXPECT_TRUE(second->files.empty());
}

TEST(Channel, TheOtherSidesEndIsAnError) {
  Result<ChannelEnds> ends = make_channel();
  ASSERT_TRUE(ends);
  ends->theirs = Descriptor();
  const Result<Message> message = receive_message(ends->ours.get());
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(send_message(ends->ours.get(), "anybody there?"));
}

}  // namespace
}  // namespace hone
