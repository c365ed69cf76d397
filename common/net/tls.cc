#include "common/net/tls.h"

#include <openssl/asn1.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <mutex>
#include <string_view>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>

#include "common/base/file.h"

namespace hone {
namespace {

namespace ssl = boost::asio::ssl;
namespace fs = std::filesystem;
using ErrorOf = boost::system::error_code;

constexpr std::size_t kMaxPemBytes = std::size_t{1} << 20U;
// Forward secrecy and authenticated encryption only; TLS 1.3 has nothing else.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr std::string_view kAlpn = "\x08http/1.1";

Error unusable(std::string_view what, const fs::path& path, std::string_view why) {
  return fail(ErrorCode::invalid_argument, "the " + std::string(what) + " " + path.string() +
                                               " cannot be used: " + std::string(why));
}

// In OpenSSL's words, but for what they do not say: Asio's "PEM lib" is the name of a part of it,
// whose own error comes behind, if Asio did not take that from OpenSSL's list.
Error bad_file(std::string_view what, const fs::path& path, const ErrorOf& error) {
  const bool taken = error.category() == boost::asio::error::get_ssl_category();
  const unsigned long left = ERR_peek_error();
  const unsigned long behind =
      left == 0 && taken ? static_cast<unsigned long>(error.value()) : left;
  const char* const reason = behind != 0 ? ERR_reason_error_string(behind) : nullptr;
  const bool is_nothing =
      ERR_GET_LIB(behind) == ERR_LIB_PEM && ERR_GET_REASON(behind) == PEM_R_NO_START_LINE;
  const std::string why = is_nothing ? "it holds no line -----BEGIN CERTIFICATE-----"
                          : reason   ? std::string(reason)
                                     : error.message();
  ERR_clear_error();
  return unusable(what, path, why);
}

Result<std::string> read_pem(std::string_view what, const fs::path& path) {
  Result<std::string> text = read_file(path, kMaxPemBytes);
  if (!text) {
    return fail(ErrorCode::invalid_argument,
                "the " + std::string(what) + " cannot be read: " + text.error().message);
  }
  return text;
}

// Whom to trust; at least one.
Result<void> add_roots(ssl::context& context, std::string_view what, const fs::path& path) {
  HONE_TRY(const std::string roots, read_pem(what, path));
  ErrorOf error;
  context.add_certificate_authority(boost::asio::buffer(roots), error);
  if (error) {
    return bad_file(what, path, error);
  }
  X509_STORE* const store = SSL_CTX_get_cert_store(context.native_handle());
  if (sk_X509_OBJECT_num(X509_STORE_get0_objects(store)) == 0) {
    return unusable(what, path, "it holds no line -----BEGIN CERTIFICATE-----");
  }
  return {};
}

void harden(ssl::context& context) {
  SSL_CTX* const native = context.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(native, kCiphers);
  SSL_CTX_set_options(
      native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // An idle connection holds no record buffers.
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
}

// The pair that either end shows. The key is read with the certificate, so that a pair that is
// being replaced is noticed: its halves do not fit.
Result<void> use_pair(ssl::context& context, const fs::path& certificate, const fs::path& key) {
  HONE_TRY(const std::string chain, read_pem("certificate", certificate));
  HONE_TRY(const std::string secret, read_pem("key", key));
  ErrorOf error;
  context.use_certificate_chain(boost::asio::buffer(chain), error);
  if (error) {
    return bad_file("certificate", certificate, error);
  }
  if (secret.find("ENCRYPTED") != std::string::npos) {
    return unusable("key", key, "it is encrypted, and nobody is here to type its passphrase");
  }
  ERR_clear_error();
  context.use_private_key(boost::asio::buffer(secret), ssl::context::pem, error);
  if (!error && SSL_CTX_check_private_key(context.native_handle()) == 1) {
    return {};
  }
  const bool other =
      ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH ||
      error == ErrorOf(static_cast<int>(ERR_PACK(ERR_LIB_X509, 0, X509_R_KEY_VALUES_MISMATCH)),
                       boost::asio::error::get_ssl_category());
  ERR_clear_error();
  if (other) {
    return fail(
        ErrorCode::invalid_argument,
        "the key " + key.string() + " does not belong to the certificate " + certificate.string());
  }
  return secret.find("PRIVATE KEY-----") == std::string::npos
             ? unusable("key", key, "it holds no line -----BEGIN PRIVATE KEY-----")
             : bad_file("key", key, error);
}

// The last session of a client's context; of several threads.
class KeptSession {
 public:
  ~KeptSession() { SSL_SESSION_free(session_); }

  static KeptSession* of(const SSL_CTX* context) {
    return static_cast<KeptSession*>(SSL_CTX_get_ex_data(context, index()));
  }
  static void attach(SSL_CTX* context) {
    SSL_CTX_set_ex_data(context, index(), new KeptSession);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, [](SSL* stream, SSL_SESSION* session) {
      of(SSL_get_SSL_CTX(stream))->keep(session);
      return 1;  // it is ours now
    });
  }
  void resume(SSL* stream) {
    const std::lock_guard lock(mutex_);
    if (session_ != nullptr) {
      SSL_set_session(stream, session_);
    }
  }

 private:
  // Freed with the context.
  static int index() {
    static const int kIndex = SSL_CTX_get_ex_new_index(
        0, nullptr, nullptr, nullptr, [](void*, void* kept, CRYPTO_EX_DATA*, int, long, void*) {
          delete static_cast<KeptSession*>(kept);
        });
    return kIndex;
  }
  void keep(SSL_SESSION* session) {
    const std::lock_guard lock(mutex_);
    SSL_SESSION_free(session_);
    session_ = session;
  }

  std::mutex mutex_;
  SSL_SESSION* session_ = nullptr;
};

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* in, unsigned int in_size, void*) {
  unsigned char* chosen = nullptr;
  const int found =
      SSL_select_next_proto(&chosen, out_size, reinterpret_cast<const unsigned char*>(kAlpn.data()),
                            static_cast<unsigned int>(kAlpn.size()), in, in_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

Result<TlsContext> make_server_tls(const ServerTlsFiles& files) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  harden(*context);
  HONE_CHECK(use_pair(*context, files.certificate, files.key));
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  // Sessions are resumed by tickets, which cost us no memory; one is enough for a next connection.
  SSL_CTX_set_num_tickets(native, 1);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  static constexpr unsigned char kSessions[] = "honed";
  SSL_CTX_set_session_id_context(native, kSessions, sizeof kSessions - 1);
  if (!files.client_ca.empty()) {
    HONE_CHECK(add_roots(*context, "client CA", files.client_ca));
    ErrorOf error;
    SSL_CTX_set_client_CA_list(native, SSL_load_client_CA_file(files.client_ca.c_str()));
    context->set_verify_mode(ssl::verify_peer, error);
  }
  return context;
}

Result<TlsContext> make_client_tls(const ClientTlsFiles& files) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  harden(*context);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_alpn_protos(native, reinterpret_cast<const unsigned char*>(kAlpn.data()),
                          static_cast<unsigned int>(kAlpn.size()));
  ErrorOf error;
  if (files.ca.empty()) {
    context->set_default_verify_paths(error);
  } else {
    HONE_CHECK(add_roots(*context, "CA", files.ca));
  }
  context->set_verify_mode(ssl::verify_peer, error);
  KeptSession::attach(native);
  if (files.certificate.empty() != files.key.empty()) {
    return fail(ErrorCode::invalid_argument,
                "a client certificate and its key are named together: --cert and --key, or "
                "HONE_CERT_FILE and HONE_KEY_FILE");
  }
  if (!files.certificate.empty()) {
    HONE_CHECK(use_pair(*context, files.certificate, files.key));
  }
  return context;
}

void verify_host(ByteStream::Tls& stream, const std::string& host) {
  SSL* const native = stream.native_handle();
  KeptSession::of(SSL_get_SSL_CTX(native))->resume(native);
  ErrorOf no_address;
  boost::asio::ip::make_address(host, no_address);
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(native);
  if (no_address) {
    // What the macro SSL_set_tlsext_host_name does, without its C casts; the name is copied.
    SSL_ctrl(native, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(host.c_str()));
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size());
  } else {
    X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str());
  }
}

bool peer_has_certificate(ByteStream::Tls& stream) {
  SSL* const native = stream.native_handle();
  return SSL_get0_peer_certificate(native) != nullptr && SSL_get_verify_result(native) == X509_V_OK;
}

std::chrono::system_clock::time_point certificate_end(const TlsContext& context) {
  const X509* const shown = SSL_CTX_get0_certificate(context->native_handle());
  std::tm parts{};
  if (shown == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(shown), &parts) != 1) {
    return {};
  }
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

namespace {

std::string refused_certificate(long why, const std::string& authority) {
  const std::string text = X509_verify_cert_error_string(why);
  switch (why) {
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return "the certificate of " + authority + " is signed by nobody trusted here (" + text +
             "): name its CA by --ca or HONE_CA_FILE";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "the certificate of " + authority +
             " is for another name: use the name that it was made for, or have it made for this";
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the certificate of " + authority + " is not valid at this time (" + text +
             "): renew it, or set the clock";
    default:
      return "the certificate of " + authority + " is refused: " + text;
  }
}

// Alerts by which the other end says that it wants another certificate of us.
bool is_about_ours(int reason) {
  switch (reason) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return true;
    default:
      return false;
  }
}

}  // namespace

Error tls_failure(ByteStream::Tls& stream, const std::string& authority, const ErrorOf& error) {
  const bool of_tls = error.category() == boost::asio::error::get_ssl_category();
  const int reason = of_tls ? ERR_GET_REASON(static_cast<unsigned long>(error.value())) : 0;
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    return fail(ErrorCode::permission_denied,
                refused_certificate(SSL_get_verify_result(stream.native_handle()), authority));
  }
  if (is_about_ours(reason)) {
    return fail(ErrorCode::permission_denied,
                authority + " does not take the certificate of this client (" + error.message() +
                    "): --cert and --key, or HONE_CERT_FILE and HONE_KEY_FILE, name another");
  }
  if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST) {
    return fail(ErrorCode::invalid_argument,
                authority + " does not speak TLS: use http://, or start honed with --tls-cert");
  }
  return fail(ErrorCode::unavailable, "no TLS connection to " + authority + ": " + error.message());
}

}  // namespace hone
