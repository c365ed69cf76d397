#include "server/http/tls_identity.h"

#include <sys/stat.h>

#include "common/base/log.h"

namespace hone {
namespace {

constexpr std::chrono::hours kSoon{14 * 24};

void warn_of_end(const TlsContext& context, const ServerTlsFiles& files) {
  const auto left = certificate_end(context) - std::chrono::system_clock::now();
  if (left < kSoon) {
    const auto hours = std::chrono::duration_cast<std::chrono::hours>(left).count();
    log_warning("tls_certificate_ends", {{"file", files.certificate.string()},
                                         {"hours_left", static_cast<std::int64_t>(hours)}});
  }
}

}  // namespace

TlsIdentity::Stamp TlsIdentity::stamp_of(const std::filesystem::path& path) {
  struct stat info = {};
  if (path.empty() || stat(path.c_str(), &info) != 0) {
    return {};
  }
  return {info.st_ino, info.st_size,
          info.st_mtim.tv_sec * std::int64_t{1'000'000'000} + info.st_mtim.tv_nsec};
}

TlsIdentity::Stamps TlsIdentity::stamps_of(const ServerTlsFiles& files) {
  return {stamp_of(files.certificate), stamp_of(files.key), stamp_of(files.client_ca)};
}

Result<TlsIdentity> TlsIdentity::load(ServerTlsFiles files) {
  // Before the files are read: a change meanwhile is seen by the next look.
  const Stamps stamps = stamps_of(files);
  HONE_TRY(TlsContext context, make_server_tls(files));
  warn_of_end(context, files);
  return TlsIdentity(std::move(files), std::move(context), stamps);
}

bool TlsIdentity::look() {
  return stamps_of(files_) != stamps_ && reload();
}

bool TlsIdentity::reload() {
  stamps_ = stamps_of(files_);
  Result<TlsContext> made = make_server_tls(files_);
  if (!made) {
    log_error("tls_reload_failed", {{"reason", made.error().message},
                                    {"meanwhile", "the certificate that was in use stays"}});
    return false;
  }
  context_ = *std::move(made);
  log_info("tls_reloaded", {{"file", files_.certificate.string()}});
  warn_of_end(context_, files_);
  return true;
}

}  // namespace hone
