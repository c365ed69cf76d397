#include "common/sessions/session_client.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/sessions/sealed_reply.h"
#include "common/sessions/session_program.h"

namespace hone {
namespace {

Error gone() {
  return fail(ErrorCode::unavailable, "the session server has ended");
}

}  // namespace

Result<SessionClient> SessionClient::start(const std::filesystem::path& program,
                                           const std::vector<std::string>& options) {
  HONE_TRY(const SessionProgram started, start_session_program(program, options));
  SessionClient client;
  client.process_ = started.process;
  client.socket_ = started.socket;
  return client;
}

SessionClient::~SessionClient() {
  if (socket_ >= 0) {
    close(socket_);
  }
  if (process_ > 0) {
    end_session_program(process_);
  }
}

SessionClient::SessionClient(SessionClient&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      buffer_(std::move(other.buffer_)),
      last_id_(other.last_id_) {}

SessionClient& SessionClient::operator=(SessionClient&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(socket_, other.socket_);
  std::swap(buffer_, other.buffer_);
  std::swap(last_id_, other.last_id_);
  return *this;
}

Result<std::int64_t> SessionClient::send(SessionRequest request) {
  request.id = ++last_id_;
  const std::string line = to_line(request) + "\n";
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent <= 0) {
      return gone();
    }
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return request.id;
}

Result<SessionReply> SessionClient::receive() {
  std::size_t searched = 0;
  std::size_t end = buffer_.find('\n');
  while (end == std::string::npos) {
    char bytes[65536];
    const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0 || buffer_.size() > kMaxReplyLineBytes) {
      return gone();
    }
    searched = buffer_.size();
    buffer_.append(bytes, static_cast<std::size_t>(got));
    end = buffer_.find('\n', searched);
  }
  const Result<SealedReply> sealed = parse_sealed_reply(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end + 1);
  HONE_CHECK(sealed);
  return open_reply(*sealed);
}

Result<SessionReply> SessionClient::ask(SessionRequest request) {
  HONE_CHECK(send(std::move(request)));
  HONE_TRY(SessionReply reply, receive());
  if (reply.error) {
    return *reply.error;
  }
  return reply;
}

double SessionClient::cpu_seconds() const {
  const Result<std::string> text =
      read_file("/proc/" + std::to_string(process_) + "/stat", std::size_t{1} << 16U);
  // The program's name, in brackets, may hold blanks; utime is the twelfth field behind it, stime,
  // cutime and cstime follow (proc(5)).
  const std::size_t name_end = text ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) {
    return 0;
  }
  constexpr std::size_t kFirst = 12;
  constexpr std::size_t kLast = 15;
  double ticks = 0;
  const std::vector<std::string_view> fields =
      split(std::string_view(*text).substr(name_end + 1), ' ');
  for (std::size_t i = kFirst; i <= kLast && i < fields.size(); ++i) {
    ticks += std::strtod(std::string(fields[i]).c_str(), nullptr);
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace hone
