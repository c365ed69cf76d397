#include "common/archive/entry_path.h"

#include <algorithm>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMaxName = 4096;
constexpr std::size_t kMaxPart = 255;
constexpr std::size_t kMaxDepth = 64;

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

}  // namespace

Result<std::vector<std::string>> entry_parts(std::string_view name) {
  if (name.empty()) {
    return fail(ErrorCode::invalid_argument, "has no name");
  }
  if (name.front() == '/') {
    return fail(ErrorCode::invalid_argument, "has an absolute name");
  }
  if (name.size() > kMaxName) {
    return fail(ErrorCode::invalid_argument, "has a name of more than 4096 bytes");
  }
  if (has_control_character(name)) {
    return fail(ErrorCode::invalid_argument, "has a control character in its name");
  }
  std::vector<std::string> parts;
  for (const std::string_view part : split(name, '/')) {
    if (part.empty() || part == ".") {
      continue;
    }
    if (part == "..") {
      return fail(ErrorCode::invalid_argument, "has \"..\" in its name");
    }
    if (part.size() > kMaxPart) {
      return fail(ErrorCode::invalid_argument, "has a part of more than 255 bytes in its name");
    }
    parts.emplace_back(part);
  }
  if (parts.size() > kMaxDepth) {
    return fail(ErrorCode::invalid_argument, "lies more than 64 folders deep");
  }
  return parts;
}

bool link_stays_inside(std::string_view target, std::size_t depth) {
  if (target.empty() || target.front() == '/' || target.size() > kMaxName ||
      has_control_character(target)) {
    return false;
  }
  bool descending = false;
  std::size_t up = 0;
  for (const std::string_view part : split(target, '/')) {
    if (part.empty() || part == ".") {
      continue;
    }
    if (part != "..") {
      descending = true;
    } else if (descending || ++up > depth) {
      return false;
    }
  }
  return true;
}

}  // namespace hone
