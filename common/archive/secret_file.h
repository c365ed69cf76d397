// Files that must not leave the machine by accident, told by their content and name: a source tree
// is where keys and tokens are made, and everybody who may read a target may download its source.
// Thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

// As much of a file's beginning as secret_kind() needs to see.
inline constexpr std::size_t kSecretHead = std::size_t{64} << 10U;

// What a file is that holds a secret, like "a private key"; empty for every other. `path` is
// relative. A private key is a line "-----BEGIN ... PRIVATE KEY" (PEM, OpenSSH, PGP), which a
// certificate may come before; a key in a string of source code is none. A Hone token counts
// wherever it stands in `head`. By name: what holds a user's passwords (.netrc, .git-credentials,
// .pgpass, *.p12, *.pfx) and all in .ssh, .gnupg, .aws and .kube.
std::string secret_kind(std::string_view path, std::string_view head);

}  // namespace hone
