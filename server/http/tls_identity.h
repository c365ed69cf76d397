// The certificate that a server shows, read again when its files change, so that renewing one needs
// no restart.
//
// A pair that cannot be used (half written, of different keys) is told in the log, and the one in
// use stays. Connections keep what they began with. Not thread safe.
#pragma once

#include <array>
#include <cstdint>

#include "common/base/result.h"
#include "common/net/tls.h"

namespace hone {

class TlsIdentity {
 public:
  // invalid_argument as make_server_tls().
  static Result<TlsIdentity> load(ServerTlsFiles files);

  // For a new connection.
  const TlsContext& context() const { return context_; }

  // Reads the files again if one is another than it was; a failure is told once for each change.
  // Whether what is shown is new.
  bool look();
  // Reads them again, whether changed or not.
  bool reload();

 private:
  // What a file is told by: a renewed one differs in one of these.
  struct Stamp {
    std::uint64_t inode = 0;
    std::int64_t size = -1;  // -1: there is none
    std::int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::array<Stamp, 3>;

  TlsIdentity(ServerTlsFiles files, TlsContext context, Stamps stamps)
      : files_(std::move(files)), context_(std::move(context)), stamps_(stamps) {}
  static Stamp stamp_of(const std::filesystem::path& path);
  static Stamps stamps_of(const ServerTlsFiles& files);

  ServerTlsFiles files_;
  TlsContext context_;
  Stamps stamps_;
};

}  // namespace hone
