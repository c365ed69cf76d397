#include "common/archive/secret_file.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 3> kSecretNames{".netrc", ".git-credentials", ".pgpass"};
constexpr std::array<std::string_view, 4> kSecretFolders{".ssh", ".gnupg", ".aws", ".kube"};

template <class List>
bool holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_secret_name(std::string_view path) {
  const std::vector<std::string_view> parts = split(path, '/');
  const std::string_view last = parts.back();
  return holds(kSecretNames, last) || last.ends_with(".p12") || last.ends_with(".pfx") ||
         std::any_of(parts.begin(), parts.end() - 1,
                     [](std::string_view part) { return holds(kSecretFolders, part); });
}

// At a line's start, blanks aside: in source code a quote stands before it.
bool holds_private_key(std::string_view head) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  for (std::size_t at = head.find(kBegin); at != std::string_view::npos;
       at = head.find(kBegin, at + 1)) {
    const std::string_view line = head.substr(at, head.find_first_of("\r\n", at) - at);
    const std::size_t before = at == 0 ? at : head.find_last_not_of(" \t", at - 1);
    const bool starts =
        at == 0 || before == std::string_view::npos || head[before] == '\n' || head[before] == '\r';
    if (starts && line.find("PRIVATE KEY") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// "hone_" and 64 hexadecimal digits.
bool holds_token(std::string_view head) {
  constexpr std::string_view kPrefix = "hone_";
  constexpr std::size_t kDigits = 64;
  for (std::size_t at = head.find(kPrefix); at != std::string_view::npos;
       at = head.find(kPrefix, at + 1)) {
    const std::string_view digits = head.substr(at + kPrefix.size());
    const std::size_t end =
        std::min(digits.find_first_not_of("0123456789abcdefABCDEF"), digits.size());
    if (end == kDigits) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string secret_kind(std::string_view path, std::string_view head) {
  if (holds_private_key(head)) {
    return "a private key";
  }
  if (holds_token(head)) {
    return "a Hone token";
  }
  return is_secret_name(path) ? "a file of passwords or keys, by its name" : "";
}

}  // namespace hone
