// Names of files as rules and logs have them: relative to the source root, the same on every
// machine. Immutable, thread safe.
#pragma once

#include <string>
#include <string_view>

namespace hone {

class SourceRoot {
 public:
  // `root` may be relative to the working folder. An empty one means the working folder.
  explicit SourceRoot(std::string_view root);

  // "src/a.cc" for a path below the root, spelled in any way; else the absolute path without "."
  // and ".." parts. Follows symbolic links only if the path as spelled is not below the root.
  std::string name_of(std::string_view path) const;
  // The same without looking at the file system: for the many paths in options.
  std::string name_as_spelled(std::string_view path) const;

 private:
  bool strip(std::string_view absolute, std::string& name) const;

  std::string working_folder_;
  std::string root_;       // absolute, as spelled
  std::string real_root_;  // with links followed
};

}  // namespace hone
