// The one hone-session that honed runs, for as long as somebody has a session.
//
// Started by the first request. When it ends, by a fault of ours or somebody's signal, what waits
// gets an error, its sessions are gone, and the next request starts another. Everything runs on
// honed's one thread; not thread safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "common/sessions/sealed_reply.h"
#include "common/sessions/session_request.h"
#include "server/store/async.h"

namespace hone {

struct SessionHostOptions {
  std::filesystem::path program;     // hone-session
  std::vector<std::string> options;  // its own
};

class SessionHost {
 public:
  // `lost` is called when the program has ended and its sessions with it.
  SessionHost(boost::asio::any_io_executor executor, SessionHostOptions options,
              std::function<void()> lost);
  ~SessionHost();
  SessionHost(const SessionHost&) = delete;
  SessionHost& operator=(const SessionHost&) = delete;

  // The request's id is given here. An error of the reply is this one's. unavailable if the program
  // is not there or ended before it answered, or after stop().
  Async<SealedReply> ask(SessionRequest request);

  // Ends the program for good; what waits gets an error, and so does whoever asks from now on.
  void stop();

  // Of the running program; -1 if none runs.
  pid_t process() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hone
