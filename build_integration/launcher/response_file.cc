#include "build_integration/launcher/response_file.h"

#include <sys/stat.h>

#include "common/base/file.h"

namespace hone {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
constexpr int kMaxDepth = 20;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

bool expand(const std::vector<std::string>& arguments, int depth, std::size_t& bytes_left,
            std::vector<std::string>& expanded) {
  for (const std::string& argument : arguments) {
    if (argument.size() < 2 || argument.front() != '@') {
      expanded.push_back(argument);
      continue;
    }
    if (depth == kMaxDepth) {
      return false;
    }
    const std::string path = argument.substr(1);
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
        !S_ISDIR(status.st_mode)) {
      return false;  // a pipe: what we read of it the compiler would not get
    }
    const Result<std::string> content = read_file(path, bytes_left);
    if (!content.has_value()) {
      if (content.error().code == ErrorCode::too_large) {
        return false;
      }
      expanded.push_back(argument);
      continue;
    }
    bytes_left -= content->size();
    std::string_view text = *content;
    // UTF-16; and white space that separates for GCC and does not for clang.
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
        text.find_first_of("\v\f") != std::string_view::npos) {
      return false;
    }
    if (text.starts_with("\xef\xbb\xbf")) {
      text.remove_prefix(3);
    }
    if (!expand(split_response_file(text), depth + 1, bytes_left, expanded)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> split_response_file(std::string_view text) {
  std::vector<std::string> arguments;
  std::string argument;
  bool inside = false;  // an argument has begun; it may be empty ("")
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (is_space(c)) {
      if (inside) {
        arguments.push_back(std::move(argument));
        argument.clear();
        inside = false;
      }
      ++i;
    } else if (c == '\\' && i + 1 < text.size()) {
      inside = true;
      argument.push_back(text[i + 1]);
      i += 2;
    } else if (c == '"' || c == '\'') {
      inside = true;
      ++i;
      while (i < text.size() && text[i] != c) {
        if (text[i] == '\\' && i + 1 < text.size()) {
          ++i;
        }
        argument.push_back(text[i]);
        ++i;
      }
      ++i;  // the closing quote, or past the end
    } else {
      inside = true;
      argument.push_back(c);
      ++i;
    }
  }
  if (inside) {
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::optional<std::vector<std::string>> expand_response_files(
    const std::vector<std::string>& arguments) {
  std::vector<std::string> expanded;
  std::size_t bytes_left = kMaxBytes;
  if (!expand(arguments, 0, bytes_left, expanded)) {
    return std::nullopt;
  }
  return expanded;
}

}  // namespace hone
