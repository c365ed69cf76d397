// without_secrets(): what must not stand in a log, found by its shape.
#include <algorithm>
#include <array>

#include "common/base/log.h"

namespace hone {
namespace {

constexpr std::string_view kBlot = "***";

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// "hone_" and hexadecimal digits: a token, or the beginning of one that was cut.
void blot_tokens(std::string& text) {
  constexpr std::string_view kPrefix = "hone_";
  constexpr std::size_t kTelling = 16;  // digits that tell more than a name by chance has
  for (std::size_t at = text.find(kPrefix); at != std::string::npos;) {
    const std::size_t begin = at + kPrefix.size();
    std::size_t end = begin;
    while (end < text.size() && is_hex(text[end])) {
      ++end;
    }
    if (end - begin >= kTelling) {
      text.replace(begin, end - begin, kBlot);
      end = begin + kBlot.size();
    }
    at = text.find(kPrefix, end);
  }
}

// "scheme://user:PASSWORD@host".
void blot_passwords_in_urls(std::string& text) {
  for (std::size_t at = text.find("://"); at != std::string::npos;) {
    const std::size_t begin = at + 3;
    const std::size_t end = text.find_first_of("/?# \t\n\"'", begin);
    const std::size_t monkey = text.rfind('@', end == std::string::npos ? end : end - 1);
    std::size_t next = begin;
    if (monkey != std::string::npos && monkey > begin) {
      const std::size_t colon = text.find(':', begin);
      if (colon < monkey) {
        text.replace(colon + 1, monkey - colon - 1, kBlot);
        next = colon + 1 + kBlot.size();
      }
    }
    at = text.find("://", next);
  }
}

// "password=WORD" and "password='WORDS'" of libpq, in any case of letters.
void blot_named(std::string& text, std::string_view name) {
  const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  auto from = text.begin();
  while (true) {
    const auto found = std::search(from, text.end(), name.begin(), name.end(), same);
    if (found == text.end()) {
      return;
    }
    const std::size_t begin = static_cast<std::size_t>(found - text.begin()) + name.size();
    const bool quoted = begin < text.size() && text[begin] == '\'';
    const std::size_t end =
        quoted ? text.find('\'', begin + 1) : text.find_first_of(" \t\n&\"", begin);
    text.replace(begin, (end == std::string::npos ? text.size() : end) - begin, kBlot);
    from = text.begin() + static_cast<std::ptrdiff_t>(begin + kBlot.size());
  }
}

void blot_private_keys(std::string& text) {
  constexpr std::string_view kHead = "PRIVATE KEY-----";
  if (const std::size_t at = text.find(kHead); at != std::string::npos) {
    text.replace(at + kHead.size(), std::string::npos, kBlot);
  }
}

}  // namespace

std::string without_secrets(std::string_view text) {
  std::string clean(text);
  blot_tokens(clean);
  blot_passwords_in_urls(clean);
  blot_named(clean, "password=");
  blot_named(clean, "bearer ");
  blot_private_keys(clean);
  return clean;
}

}  // namespace hone
