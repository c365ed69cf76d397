#include "common/policy/signature.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <vector>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/base/text.h"
#include "common/policy/small_order.h"

namespace hone {
namespace {

constexpr std::size_t kSignatureBytes = 64;
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kMaxKeyFile = 16384;

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeContext>;
using Memory = std::unique_ptr<BIO, FreeBio>;

Error openssl_failed(std::string_view what) {
  return fail(ErrorCode::internal, "OpenSSL cannot " + std::string(what));
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Memory reader_of(std::string_view text) {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string content_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

// Never ask at the terminal for a passphrase: an encrypted key is refused.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

Result<Key> secret_key_of(std::string_view pem) {
  const Memory bio = reader_of(pem);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  if (!key || EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519) {
    return fail(ErrorCode::invalid_argument,
                "not an Ed25519 secret key without passphrase (PEM, PKCS#8)");
  }
  return key;
}

Result<std::string> raw_key(const EVP_PKEY* key) {
  std::string raw(kKeyBytes, '\0');
  std::size_t size = raw.size();
  if (EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(raw.data()), &size) != 1 ||
      size != kKeyBytes) {
    return openssl_failed("read a key");
  }
  return raw;
}

Result<Key> public_key_of(std::string_view pem) {
  const Memory bio = reader_of(pem);
  Key key(PEM_read_bio_PUBKEY(bio.get(), nullptr, no_passphrase, nullptr));
  if (!key || EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519) {
    return fail(ErrorCode::invalid_argument, "not an Ed25519 public key (PEM)");
  }
  return key;
}

// Nothing if it is a key that only its secret signs with; else `code`.
Result<void> check_order(const EVP_PKEY* key, ErrorCode code) {
  HONE_TRY(const std::string raw, raw_key(key));
  if (is_small_order(raw)) {
    return fail(code,
                "an Ed25519 public key of small order, over which anybody can sign: make another "
                "with 'hone policy keygen'");
  }
  return {};
}

std::string to_base64(const std::vector<unsigned char>& data) {
  std::string text(4 * ((data.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), data.data(),
                                   static_cast<int>(data.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

// 64 bytes are 86 digits and "==".
Result<std::vector<unsigned char>> signature_bytes(std::string_view base64) {
  const std::string_view text = trim(base64);
  std::vector<unsigned char> data(3 * (text.size() / 4) + 3);
  if (text.size() == 88 && text.ends_with("==") &&
      EVP_DecodeBlock(data.data(), bytes(text), static_cast<int>(text.size())) == 66) {
    data.resize(kSignatureBytes);
    return data;
  }
  return fail(ErrorCode::invalid_argument, "not a signature: want 64 bytes in base64");
}

}  // namespace

Result<KeyPair> generate_key_pair() {
  EVP_PKEY* made = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  const Key key(made);
  const Memory secret(BIO_new(BIO_s_mem()));
  const Memory open(BIO_new(BIO_s_mem()));
  if (!key ||
      PEM_write_bio_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) != 1 ||
      PEM_write_bio_PUBKEY(open.get(), key.get()) != 1) {
    return openssl_failed("make a key");
  }
  return KeyPair{content_of(secret.get()), content_of(open.get())};
}

Result<std::string> sign_policy(const Json& policy, std::string_view secret_pem) {
  HONE_TRY(const Key key, secret_key_of(secret_pem));
  const DigestContext context(EVP_MD_CTX_new());
  const std::string text = dump_json(policy);
  std::vector<unsigned char> signature(kSignatureBytes);
  std::size_t size = signature.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), signature.data(), &size, bytes(text), text.size()) != 1) {
    return openssl_failed("sign");
  }
  return to_base64(signature);
}

Result<void> verify_policy(const Json& policy, std::string_view signature_base64,
                           std::string_view public_pem) {
  return verify_policy_text(dump_json(policy), signature_base64, public_pem);
}

Result<void> verify_policy_text(std::string_view text, std::string_view signature_base64,
                                std::string_view public_pem) {
  HONE_TRY(const Key key, public_key_of(public_pem));
  // No fault of the signature's: another key, registered beside it, may hold.
  HONE_CHECK(check_order(key.get(), ErrorCode::permission_denied));
  HONE_TRY(const std::vector<unsigned char> signature, signature_bytes(signature_base64));
  const DigestContext context(EVP_MD_CTX_new());
  if (!context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1) {
    return openssl_failed("verify");
  }
  if (EVP_DigestVerify(context.get(), signature.data(), signature.size(), bytes(text),
                       text.size()) != 1) {
    return fail(ErrorCode::permission_denied,
                "the signature is not this key's over this policy: changed, or signed by another");
  }
  return {};
}

Result<std::string> key_fingerprint(std::string_view public_pem) {
  HONE_TRY(const Key key, public_key_of(public_pem));
  HONE_CHECK(check_order(key.get(), ErrorCode::invalid_argument));
  HONE_TRY(const std::string raw, raw_key(key.get()));
  return sha256_hex(raw);
}

Result<std::string> read_secret_key(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? fail(ErrorCode::not_found, "no secret key file " + path.string())
                           : system_error("cannot read " + path.string(), errno);
  }
  const Result<std::string> text = read_file(path, kMaxKeyFile);
  if (text && text->find("PUBLIC KEY-----") != std::string::npos) {
    return fail(ErrorCode::invalid_argument,
                path.string() + " is a public key: signing takes the secret one");
  }
  if ((status.st_mode & 077U) != 0) {
    return fail(ErrorCode::permission_denied,
                "secret key file " + path.string() + " can be read by others: chmod 600 it");
  }
  return text;
}

}  // namespace hone
