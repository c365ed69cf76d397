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

namespace hone {

class LineEditor {
 public:
  // `complete`: what the last word of a text, which may be empty, could become: whole words.
  using Complete = std::function<std::vector<std::string>(std::string_view)>;

  LineEditor(Complete complete, std::stop_token stop);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Without its line end; nothing at the end of the input and when stopped.
  std::optional<std::string> read(const std::string& prompt);
  bool interactive() const;

 private:
  struct Terminal;
  std::stop_token stop_;
  std::unique_ptr<Terminal> terminal_;  // null where standard input is none
};

// What all of the words begin with.
std::string common_beginning(const std::vector<std::string>& words);

}  // namespace hone
