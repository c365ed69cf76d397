// A connection that stays open between the requests of one caller, such as the long polls that
// follow each other at once: with TLS each connection costs a handshake. Not thread safe.
//
// It is used again only where the other end has neither closed it nor said anything since, and has
// not been silent for long; else the request has a fresh one. A request that is lost on it all the
// same is lost as on any other: it is sent again only where its caller said that this does no harm.
#pragma once

#include <memory>

namespace hone {

struct OpenConnection;

class KeptConnection {
 public:
  KeptConnection();
  KeptConnection(KeptConnection&&) noexcept;
  KeptConnection& operator=(KeptConnection&&) noexcept;
  ~KeptConnection();

  // Whether there is one for the next request, if it is still good then.
  bool is_open() const { return open_ != nullptr; }

  // For connection.cc.
  std::unique_ptr<OpenConnection>& open() { return open_; }

 private:
  std::unique_ptr<OpenConnection> open_;
};

}  // namespace hone
