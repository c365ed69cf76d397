#include "server/http/connection_line.h"

#include <algorithm>

#include "server/http/anonymous_connections.h"

namespace hone {

void ConnectionLine::enter(LineMember& member) {
  member.unlink();
  members_.push_back(member);
}

void ConnectionLine::leave(LineMember& member) {
  member.unlink();
}

bool ConnectionLine::end_first_that(const std::function<bool(const LineMember&)>& wanted) {
  const auto found = std::find_if(members_.begin(), members_.end(), [&wanted](LineMember& member) {
    return wanted(member) && member.may_end();
  });
  if (found == members_.end()) {
    return false;
  }
  LineMember& member = *found;
  member.unlink();
  member.make_way();
  return true;
}

bool ConnectionLine::end_first() {
  return end_first_that([](const LineMember&) { return true; });
}

bool ConnectionLine::end_first_from(const boost::asio::ip::address& address) {
  return end_first_that([&address](const LineMember& member) {
    return member.anonymous() && AnonymousConnections::same(member.address(), address);
  });
}

bool ConnectionLine::end_first_of(const std::string& token_id) {
  return end_first_that(
      [&token_id](const LineMember& member) { return member.token_id() == token_id; });
}

}  // namespace hone
