// TLS contexts made of certificate files, for both ends, and what went wrong in words.
//
// TLS 1.2 with forward secrecy and authenticated encryption, and 1.3; ALPN http/1.1. Files are PEM.
// A context is made once and shared by many connections. Thread safe.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include <boost/system/error_code.hpp>

#include "common/base/result.h"
#include "common/net/byte_stream.h"

namespace hone {

struct ServerTlsFiles {
  std::filesystem::path certificate;  // the server's own first, then the chain up to the root
  std::filesystem::path key;
  std::filesystem::path client_ca;  // who signs clients' certificates; empty: none is asked for
};

struct ClientTlsFiles {
  std::filesystem::path ca;           // whom to trust; empty: whom the system trusts
  std::filesystem::path certificate;  // shown to a server that asks; empty: none
  std::filesystem::path key;
};

// invalid_argument naming the file that cannot be read or used, or saying that key and certificate
// do not belong together. A client certificate is asked for where client_ca is given, and checked
// where one is shown.
Result<TlsContext> make_server_tls(const ServerTlsFiles& files);

// The same for a client of one server, whose chain is verified, and its name by verify_host().
// Keeps the last session that the server gave, so that the next handshake is a short one.
Result<TlsContext> make_client_tls(const ClientTlsFiles& files);

// Before a client's handshake: sends the server's name, refuses a certificate that is not for this
// name or address, and takes up the last session.
void verify_host(ByteStream::Tls& stream, const std::string& host);

// After a server's handshake: whether the client showed a certificate (it was verified then).
bool peer_has_certificate(ByteStream::Tls& stream);

// Until when the certificate that a context shows is valid.
std::chrono::system_clock::time_point certificate_end(const TlsContext& context);

// Why a client's handshake, or its first read, failed, and what to do about it: permission_denied
// where one end does not trust the other, invalid_argument where no TLS is spoken, else
// unavailable.
Error tls_failure(ByteStream::Tls& stream, const std::string& authority,
                  const boost::system::error_code& error);

}  // namespace hone
