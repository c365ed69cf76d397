// Connections that may be ended for the sake of others, the longest waiting first: those that have
// shown no good token, and those that have none of their requests under way.
//
// A client must expect that a kept connection is closed between two requests (RFC 9112, 9.5). Who
// has asked for something with a good token is not in this line. Not thread safe.
#pragma once

#include <functional>
#include <string>

#include <boost/asio/ip/address.hpp>
#include <boost/intrusive/list.hpp>

namespace hone {

// Leaves the line by its own end, too.
class LineMember : public boost::intrusive::list_base_hook<
                       boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  // Whether it may be ended at this moment.
  virtual bool may_end() = 0;
  // Ends for the sake of another connection, which has its place at once.
  virtual void make_way() = 0;

  virtual const boost::asio::ip::address& address() const = 0;
  // Whether no good token was shown yet.
  virtual bool anonymous() const = 0;
  // Of the last request that showed a good one.
  virtual const std::string& token_id() const = 0;

 protected:
  ~LineMember() = default;
};

class ConnectionLine {
 public:
  // To the end of the line, from wherever it was.
  void enter(LineMember& member);
  static void leave(LineMember& member);

  // These end the first one that may be ended; false if there is none.
  bool end_first();
  // Of those without a token from this client (anonymous_connections.h).
  bool end_first_from(const boost::asio::ip::address& address);
  bool end_first_of(const std::string& token_id);

 private:
  bool end_first_that(const std::function<bool(const LineMember&)>& wanted);

  boost::intrusive::list<LineMember, boost::intrusive::constant_time_size<false>> members_;
};

}  // namespace hone
