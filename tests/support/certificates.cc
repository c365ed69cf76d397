#include "tests/support/certificates.h"

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>

namespace hone {
namespace {

using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using Certificate = std::unique_ptr<X509, void (*)(X509*)>;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

void check(bool good, const char* what) {
  if (!good) {
    throw std::runtime_error(std::string("no certificate for this test: ") + what);
  }
}

File open_file(const std::filesystem::path& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode), std::fclose);
  check(file != nullptr, path.c_str());
  return file;
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  check(extension != nullptr, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate blank(const std::string& name, EVP_PKEY* key, int days) {
  static std::atomic<long> serial{1};
  Certificate made(X509_new(), X509_free);
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -10L * 24 * 3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), days * 24L * 3600);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_pubkey(made.get(), key);
  return made;
}

// Each file is renamed into its place whole.
void write(const CertificateFiles& files, X509* certificate, EVP_PKEY* key) {
  const std::filesystem::path part = files.certificate.string() + ".part";
  check(PEM_write_X509(open_file(part, "w").get(), certificate) == 1, "PEM");
  std::filesystem::rename(part, files.certificate);
  check(PEM_write_PrivateKey(open_file(part, "w").get(), key, nullptr, nullptr, 0, nullptr,
                             nullptr) == 1,
        "PEM");
  std::filesystem::rename(part, files.key);
}

}  // namespace

TestCa::TestCa(std::filesystem::path folder, const std::string& name) : folder_(std::move(folder)) {
  files_ = {folder_ / (name + ".pem"), folder_ / (name + ".key")};
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Certificate made = blank(name, key.get(), 2);
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  add_extension(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(made.get(), made.get(), NID_subject_key_identifier, "hash");
  check(X509_sign(made.get(), key.get(), EVP_sha256()) > 0, "signature");
  write(files_, made.get(), key.get());
}

CertificateFiles TestCa::sign(const std::string& name, const std::string& host, int days) const {
  const Certificate ca(
      PEM_read_X509(open_file(files_.certificate, "r").get(), nullptr, nullptr, nullptr),
      X509_free);
  const Key ca_key(PEM_read_PrivateKey(open_file(files_.key, "r").get(), nullptr, nullptr, nullptr),
                   EVP_PKEY_free);
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Certificate made = blank(name, key.get(), days);
  X509_set_issuer_name(made.get(), X509_get_subject_name(ca.get()));
  in6_addr address{};
  const bool numeric = inet_pton(AF_INET, host.c_str(), &address) == 1 ||
                       inet_pton(AF_INET6, host.c_str(), &address) == 1;
  add_extension(made.get(), ca.get(), NID_subject_alt_name, (numeric ? "IP:" : "DNS:") + host);
  check(X509_sign(made.get(), ca_key.get(), EVP_sha256()) > 0, "signature");
  const CertificateFiles files{folder_ / (name + ".pem"), folder_ / (name + ".key")};
  write(files, made.get(), key.get());
  return files;
}

}  // namespace hone
