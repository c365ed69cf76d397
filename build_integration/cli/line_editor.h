// Lines that somebody types: on a terminal with editing, history and completion by Tab (libedit),
// else as they come, without a prompt. Not thread safe; one at a time on standard input.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/cli/line_history.h"

namespace hone {

class LineEditor {
 public:
  // `complete`: what the last word of a text, which may be empty, could become: whole words.
  using Complete = std::function<std::vector<std::string>(std::string_view)>;

  // With a history, lines of earlier runs are there on a terminal, and new ones are added to it.
  // That it can not be read or written is told once, on standard error.
  LineEditor(Complete complete, std::stop_token stop, std::optional<LineHistory> history = {});
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Without its line end; nothing at the end of the input and when stopped.
  std::optional<std::string> read(const std::string& prompt);
  bool interactive() const;

 private:
  struct Terminal;
  void load();
  void keep(const std::string& line);

  std::stop_token stop_;
  std::optional<LineHistory> history_;
  std::unique_ptr<Terminal> terminal_;  // null where standard input is none
};

// What all of the words begin with.
std::string common_beginning(const std::vector<std::string>& words);

}  // namespace hone
