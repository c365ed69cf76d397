// What the launcher remembers of one build tree, in HONE_STATE_DIR:
//
//   compiles.ndjson   a line per object (compile_log.h)
//   compilers/KEY     which compiler a file is: "clang 19"
//   failures/KEY      one byte per failure of a decision
//   untunable/KEY     why a file cannot be tuned: "coroutines"
//
// Everything here is a help, never a need: a folder that is missing, read-only or full, or a file
// that may not grow (ulimit -f), is as if nothing were remembered. Files are appended to by one
// write, or replaced by rename, so that any number of launchers may share a folder. Thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

enum class StateKind { compilers, failures, untunable };

class StateFolder {
 public:
  // An empty path: nothing is kept.
  explicit StateFolder(std::string path) : path_(std::move(path)) {}

  bool exists() const { return !path_.empty(); }

  // A note's content; "" if there is none.
  std::string read(StateKind kind, const std::string& key) const;
  void write(StateKind kind, const std::string& key, std::string_view content) const;
  // Appends to the note.
  void append(StateKind kind, const std::string& key, std::string_view content) const;
  // Appends a line to the log.
  void append_log(std::string_view line) const;

  // Removes all notes, but not the log. How many there were.
  std::size_t reset() const;

 private:
  std::string note(StateKind kind, const std::string& key) const;
  void append_to(const std::string& file, std::string_view content) const;

  std::string path_;
};

}  // namespace hone
