#include "build_integration/launcher/chosen_member.h"

#include <charconv>

#include "common/base/file.h"

namespace hone {
namespace {

constexpr std::string_view kMark = "hone choice ";
constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kMaxObjectBytes = std::size_t{256} << 20U;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// MEMBER/MEMBERS HASH and the end of a text: whoever compiles this file has the mark alone.
std::optional<std::uint32_t> member_in(std::string_view text) {
  std::uint32_t member = 0;
  std::uint32_t members = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, member);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '/') {
    return std::nullopt;
  }
  const auto second = std::from_chars(first.ptr + 1, end, members);
  if (second.ec != std::errc() || member >= members) {
    return std::nullopt;
  }
  const std::string_view rest(second.ptr, static_cast<std::size_t>(end - second.ptr));
  const bool whole = rest.size() > kHashDigits + 1 && rest.front() == ' ' &&
                     rest[kHashDigits + 1] == '\0' && is_hex(rest.substr(1, kHashDigits));
  return whole ? std::optional(member) : std::nullopt;
}

}  // namespace

std::uint32_t chosen_member_of(std::string_view object) {
  for (std::size_t at = object.find(kMark); at != std::string_view::npos;
       at = object.find(kMark, at + 1)) {
    if (const auto member = member_in(object.substr(at + kMark.size(), 64))) {
      return *member;
    }
  }
  return 0;
}

std::optional<std::uint32_t> chosen_member(const std::string& path) {
  const Result<std::string> object = read_file(path, kMaxObjectBytes);
  return object ? std::optional(chosen_member_of(*object)) : std::nullopt;
}

}  // namespace hone
