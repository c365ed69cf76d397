#include "server/sessions/session_expiry.h"

#include "common/base/log.h"

namespace hone {
namespace {

constexpr std::chrono::seconds kInterval{30};

}  // namespace

boost::asio::awaitable<void> close_sessions(Sessions& sessions, std::vector<std::string> ids,
                                            std::string why) {
  for (const std::string& id : ids) {
    SessionRequest close;
    close.session = id;
    close.command = SessionCommand::close;
    const Result<SealedReply> closed = co_await sessions.host.ask(std::move(close));
    sessions.log.end(id, why);
    log_info("session_ended",
             {{"session", id}, {"why", why}, {"closed", closed ? "yes" : closed.error().message}});
  }
}

boost::asio::awaitable<void> watch_owners(Sessions& sessions, Store& store,
                                          Background& background) {
  while (!background.stopping()) {
    const std::uint64_t mark = store.notifications().mark(Channel::tokens);
    std::vector<std::string> owners = sessions.table.owners();
    if (!owners.empty()) {
      Result<std::vector<std::string>> gone = co_await store.tokens().not_good(std::move(owners));
      if (!gone) {
        log_warning("session_owners_unknown", {{"why", gone.error().describe()}});
        gone = std::vector<std::string>();
      }
      for (const std::string& owner : *gone) {
        std::vector<std::string> owned = sessions.table.take_of(owner);
        co_await close_sessions(sessions, std::move(owned), "token revoked or over");
      }
    }
    co_await store.notifications().wait(Channel::tokens, mark, kInterval);
  }
}

boost::asio::awaitable<void> expire_sessions(Sessions& sessions, Background& background) {
  while (!background.stopping()) {
    std::vector<std::string> expired = sessions.table.take_expired();
    co_await close_sessions(sessions, std::move(expired), "expired");
    co_await background.sleep(kInterval);
  }
}

}  // namespace hone
