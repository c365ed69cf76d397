// A session server of one's own: hone-session started as a child and spoken to by lines.
//
// Not thread safe. The server ends when this does.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/sessions/session_reply.h"
#include "common/sessions/session_request.h"

namespace hone {

class SessionClient {
 public:
  // `program` is hone-session; `options` are its own. not_found if there is no such program.
  static Result<SessionClient> start(const std::filesystem::path& program,
                                     const std::vector<std::string>& options = {});
  ~SessionClient();
  SessionClient(SessionClient&& other) noexcept;
  SessionClient& operator=(SessionClient&& other) noexcept;

  // Sends a request under an id of its own, which is returned; replies may come in another order
  // where several sessions are at work. unavailable if the server is gone.
  Result<std::int64_t> send(SessionRequest request);
  // The next reply, whichever it answers. Blocks. unavailable if the server is gone.
  Result<SessionReply> receive();
  // One request and its reply, where no other is under way. The reply's own error is this one's.
  Result<SessionReply> ask(SessionRequest request);

  pid_t process() const { return process_; }
  // CPU seconds of the server and of its sessions' processes that have ended; 0 if it is gone.
  double cpu_seconds() const;

 private:
  SessionClient() = default;
  pid_t process_ = -1;
  int socket_ = -1;     // its standard input and output
  std::string buffer_;  // what came behind the last reply
  std::int64_t last_id_ = 0;
};

}  // namespace hone
