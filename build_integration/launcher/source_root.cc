#include "build_integration/launcher/source_root.h"

#include <stdlib.h>
#include <unistd.h>

#include <climits>
#include <vector>

#include "common/base/text.h"

namespace hone {
namespace {

// Absolute, without empty, "." and ".." parts; "/" stays "/".
std::string normalized(std::string_view folder, std::string_view path) {
  std::string whole;
  if (path.empty() || path.front() != '/') {
    whole = folder;
    whole += '/';
  }
  whole += path;
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(whole, '/')) {
    if (part == "..") {
      if (!parts.empty()) {
        parts.pop_back();
      }
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string result;
  for (const std::string_view part : parts) {
    result += '/';
    result += part;
  }
  return result.empty() ? "/" : result;
}

std::string real_path(const std::string& path) {
  char buffer[PATH_MAX];
  return ::realpath(path.c_str(), buffer) != nullptr ? buffer : path;
}

bool strip_prefix(std::string_view path, std::string_view root, std::string& name) {
  if (root == "/") {
    name = path.substr(1);
    return !name.empty();
  }
  if (path.size() > root.size() + 1 && path.starts_with(root) && path[root.size()] == '/') {
    name = path.substr(root.size() + 1);
    return true;
  }
  return false;
}

}  // namespace

SourceRoot::SourceRoot(std::string_view root) {
  char buffer[PATH_MAX];
  working_folder_ = ::getcwd(buffer, sizeof buffer) != nullptr ? buffer : "/";
  root_ = normalized(working_folder_, root);
  real_root_ = real_path(root_);
}

bool SourceRoot::strip(std::string_view absolute, std::string& name) const {
  return strip_prefix(absolute, root_, name) || strip_prefix(absolute, real_root_, name);
}

std::string SourceRoot::name_as_spelled(std::string_view path) const {
  const std::string absolute = normalized(working_folder_, path);
  std::string name;
  if (absolute == root_ || absolute == real_root_) {
    return ".";
  }
  return strip(absolute, name) ? name : absolute;
}

std::string SourceRoot::name_of(std::string_view path) const {
  std::string spelled = name_as_spelled(path);
  std::string name;
  if (spelled.front() == '/' && strip(real_path(spelled), name)) {
    return name;
  }
  return spelled;
}

}  // namespace hone
