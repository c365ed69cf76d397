// Ed25519 keys and signatures of policies. Signing happens on a machine of the user's choice, with
// a key that honed does not hold.
//
// A secret key is a PKCS#8 PEM file, mode 0600; a public key a SubjectPublicKeyInfo PEM file: what
// `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout` write, too. What is signed are
// the bytes of the canonical JSON of the policy document (compact, sorted keys), which is also what
// honed stores and serves: a signature survives reformatting, and any tool can make one
// (`openssl pkeyutl -sign -rawin`). A public key of small order, over which a signature can be made
// without a secret, is no key. Thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

struct KeyPair {
  std::string secret_pem;
  std::string public_pem;
};

// A fresh pair. internal if OpenSSL has no randomness.
Result<KeyPair> generate_key_pair();

// The signature in base64 (88 characters). invalid_argument if the PEM text is no Ed25519 secret
// key.
Result<std::string> sign_policy(const Json& policy, std::string_view secret_pem);

// Nothing if the signature is this key's over this policy; permission_denied if it is not, or if
// the key is of small order; invalid_argument for a PEM text or base64 text that is none.
Result<void> verify_policy(const Json& policy, std::string_view signature_base64,
                           std::string_view public_pem);

// The same over the document's bytes as they are stored.
Result<void> verify_policy_text(std::string_view text, std::string_view signature_base64,
                                std::string_view public_pem);

// The SHA-256, in hexadecimal digits, of the 32 bytes of a public key: the same however its file
// is laid out. invalid_argument for a PEM text that is no Ed25519 public key.
Result<std::string> key_fingerprint(std::string_view public_pem);

// The secret key file's content. permission_denied if others than the owner may read it.
Result<std::string> read_secret_key(const std::filesystem::path& path);

}  // namespace hone
