#include "server/sessions/session_expiry.h"

#include "common/base/log.h"

namespace hone {
namespace {

constexpr std::chrono::seconds kInterval{30};

}  // namespace

boost::asio::awaitable<void> expire_sessions(Sessions& sessions, Background& background) {
  while (!background.stopping()) {
    for (const std::string& id : sessions.table.take_expired()) {
      SessionRequest close;
      close.session = id;
      close.command = SessionCommand::close;
      const Result<SessionReply> closed = co_await sessions.host.ask(std::move(close));
      log_info("session_expired",
               {{"session", id}, {"closed", closed ? "yes" : closed.error().message}});
    }
    co_await background.sleep(kInterval);
  }
}

}  // namespace hone
