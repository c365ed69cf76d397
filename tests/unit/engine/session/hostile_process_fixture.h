// Sessions of which one's process was taken over, for tests.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/sessions/sealed_reply.h"
#include "engine/session/lock_down.h"
#include "engine/session/message_reader.h"
#include "engine/session/message_writer.h"
#include "engine/session/session_child.h"
#include "tests/unit/engine/session/session_server_fixture.h"

namespace hone {

// The process's side of the channel, spoken by a test in a process of its own.
class Hostile {
 public:
  Hostile(ChildEnds ends, int event) : ends_(std::move(ends)), event_(event) {}

  Message hear() {
    Result<Message> message = reader_.receive(ends_.channel.get());
    if (!message) {
      std::_Exit(0);
    }
    return *std::move(message);
  }
  void say(std::string_view text, const std::vector<int>& files = {}) {
    (void)send_message(ends_.channel.get(), text, files);
  }
  void say(const SessionReply& reply) { say(to_line(seal(reply))); }
  // All at once, whatever they are.
  void say_bytes(const std::string& bytes) {
    (void)!write(ends_.channel.get(), bytes.data(), bytes.size());
  }
  // What an honest one does with an open without pipelines. It is said to be locked down, and is
  // not: what is given for its gate is a file.
  void open() {
    hear();
    answer_open(ends_.errors.get());
  }
  // Of one that is.
  void open_locked() {
    hear();
    Result<Descriptor> gate = lock_down();
    if (!gate || !*gate) {
      std::_Exit(1);
    }
    answer_open(gate->get());
  }
  void wait_for_the_test() {
    std::uint64_t count = 0;
    (void)!read(event_, &count, sizeof count);
  }
  const ChildEnds& ends() const { return ends_; }

 private:
  void answer_open(int gate) {
    say(kLockedMessage, {gate});
    say(SessionReply());
    hear();
    say(SessionReply());
  }

  ChildEnds ends_;
  MessageReader reader_;
  int event_;
};

inline std::string framed(const std::string& text) {
  const std::uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text;
}

class HostileProcessFixture : public SessionServerFixture {
 protected:
  HostileProcessFixture() {
    settings_.serve = [this](ChildEnds ends, const Ir2VecVocabulary* vocabulary) {
      if (!hostile_) {
        serve_session(std::move(ends), vocabulary);
      }
      Hostile process(std::move(ends), event_.get());
      hostile_(process);
      for (;;) {
        pause();
      }
    };
  }

  // Session "bad" with a process that does this; those that are started later are honest.
  void open_bad(std::function<void(Hostile&)> behaviour) {
    hostile_ = std::move(behaviour);
    const SessionReply opened = open("bad");
    ASSERT_FALSE(opened.error) << opened.error->describe();
    hostile_ = nullptr;
  }
  void go_on() {
    const std::uint64_t one = 1;
    ASSERT_EQ(write(event_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  // The session that was spoilt is at its start again, and all others are as ever.
  void expect_all_go_on() {
    const SessionReply stepped = step("bad", {"function(sroa)"});
    ASSERT_FALSE(stepped.error) << stepped.error->describe();
    EXPECT_EQ(stepped.length, 1);
    open("good");
    EXPECT_EQ(hash_of(step("good", {"function(sroa)"})), hash_of(stepped));
  }
  // Asks "bad" for what will not be answered, and "good" while that is under way.
  SessionReply ask_both(const std::vector<std::string>& pipelines) {
    SessionRequest request;
    request.session = "bad";
    request.command = SessionCommand::step;
    request.pipelines = pipelines;
    request.id = ++last_id_;
    const std::int64_t id = request.id;
    accept(request);
    const SessionReply good = step("good", {"function(sroa)"});
    EXPECT_FALSE(good.error) << good.error->describe();
    for (int i = 0; i < 1000 && !replies_.contains(id); ++i) {
      turn(static_cast<int>(server_->next_deadline().count()));
    }
    return replies_[id];
  }

  Descriptor event_{eventfd(0, EFD_CLOEXEC)};
  std::function<void(Hostile&)> hostile_;
};

}  // namespace hone
