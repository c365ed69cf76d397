#include "build_integration/cli/line_editor.h"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cwchar>
#include <iostream>

#include "build_integration/cli/terminal.h"

namespace hone {
namespace {

constexpr int kPollMs = 100;
constexpr std::string_view kBlanks = " \t";

}  // namespace

struct LineEditor::Terminal {
  Terminal(Complete to_complete, std::stop_token to_stop)
      : complete(std::move(to_complete)), stop(std::move(to_stop)) {
    setlocale(LC_CTYPE, "");  // or libedit takes every byte past ASCII for rubbish
    editor = el_init("hone", stdin, stdout, stderr);
    history = history_init();
    HistEvent event{};
    ::history(history, &event, H_SETSIZE, static_cast<int>(kMaxHistoryLines));
    ::history(history, &event, H_SETUNIQUE, 1);
    el_set(editor, EL_CLIENTDATA, this);
    el_set(editor, EL_PROMPT, prompt_of);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_HIST, ::history, history);
    el_set(editor, EL_GETCFN, next_character);
    el_set(editor, EL_ADDFN, "hone-complete", "Complete the word", complete_word);
    el_set(editor, EL_BIND, "^I", "hone-complete", nullptr);
  }
  ~Terminal() {
    history_end(history);
    el_end(editor);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void remember(const std::string& line) const {
    HistEvent event{};
    ::history(history, &event, H_ENTER, line.c_str());
  }

  static Terminal& of(EditLine* editor) {
    Terminal* terminal = nullptr;
    el_get(editor, EL_CLIENTDATA, &terminal);
    return *terminal;
  }

  static char* prompt_of(EditLine* editor) { return of(editor).prompt.data(); }

  // Ctrl-C is a stop that a thread of ours is told of, not a signal that ends a read.
  static int next_character(EditLine* editor, wchar_t* character) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (!of(editor).stop.stop_requested()) {
      if (poll(&input, 1, kPollMs) <= 0) {
        continue;
      }
      // A character of several bytes comes whole, or its rest is on its way.
      std::mbstate_t state{};
      for (;;) {
        char byte = 0;
        const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR) {
          continue;
        }
        if (got <= 0) {
          return 0;
        }
        const std::size_t used = std::mbrtowc(character, &byte, 1, &state);
        if (used == static_cast<std::size_t>(-2)) {
          continue;
        }
        if (used == static_cast<std::size_t>(-1)) {
          *character = L'?';
        }
        return 1;
      }
    }
    return 0;
  }

  static unsigned char complete_word(EditLine* editor, int) {
    const LineInfo* const line = el_line(editor);
    const std::string_view text(line->buffer,
                                static_cast<std::size_t>(line->cursor - line->buffer));
    const std::size_t blank = text.find_last_of(kBlanks);
    const std::string_view word = text.substr(blank == std::string_view::npos ? 0 : blank + 1);
    const std::vector<std::string> words = of(editor).complete(text);
    if (words.empty()) {
      return CC_REFRESH_BEEP;
    }
    std::string rest = common_beginning(words).substr(word.size());
    rest += words.size() == 1 ? " " : "";
    if (!rest.empty()) {
      el_insertstr(editor, rest.c_str());
      return CC_REFRESH;
    }
    std::string all = "\n";
    for (const std::string& choice : words) {
      all += choice + "  ";
    }
    std::fputs((all + "\n").c_str(), stdout);
    return CC_REDISPLAY;
  }

  Complete complete;
  std::stop_token stop;
  std::string prompt;
  EditLine* editor = nullptr;
  History* history = nullptr;
};

LineEditor::LineEditor(Complete complete, std::stop_token stop, std::optional<LineHistory> history)
    : stop_(std::move(stop)), history_(std::move(history)) {
  if (is_terminal(STDIN_FILENO)) {
    terminal_ = std::make_unique<Terminal>(std::move(complete), stop_);
    load();
  }
}

void LineEditor::load() {
  if (!history_) {
    return;
  }
  const Result<std::vector<std::string>> lines = history_->lines();
  if (!lines) {
    std::fprintf(stderr, "hone: no history: %s\n", lines.error().describe().c_str());
    history_.reset();
    return;
  }
  for (const std::string& line : *lines) {
    terminal_->remember(line);
  }
}

void LineEditor::keep(const std::string& line) {
  terminal_->remember(line);
  if (const Result<void> kept = history_ ? history_->add(line) : Result<void>(); !kept) {
    std::fprintf(stderr, "hone: the history is not kept: %s\n", kept.error().describe().c_str());
    history_.reset();
  }
}

LineEditor::~LineEditor() = default;

bool LineEditor::interactive() const {
  return terminal_ != nullptr;
}

std::optional<std::string> LineEditor::read(const std::string& prompt) {
  if (stop_.stop_requested()) {
    return std::nullopt;
  }
  if (!terminal_) {
    std::string line;
    return std::getline(std::cin, line) ? std::optional(std::move(line)) : std::nullopt;
  }
  terminal_->prompt = prompt;
  int size = 0;
  const char* const text = el_gets(terminal_->editor, &size);
  if (text == nullptr || size <= 0 || stop_.stop_requested()) {
    return std::nullopt;
  }
  std::string line(text, static_cast<std::size_t>(size));
  while (line.ends_with('\n') || line.ends_with('\r')) {
    line.pop_back();
  }
  if (line.find_first_not_of(kBlanks) != std::string::npos) {
    keep(line);
  }
  return line;
}

std::string common_beginning(const std::vector<std::string>& words) {
  if (words.empty()) {
    return "";
  }
  std::string_view beginning = words.front();
  for (const std::string& word : words) {
    const auto [end, other] = std::ranges::mismatch(beginning, word);
    beginning = beginning.substr(0, static_cast<std::size_t>(end - beginning.begin()));
  }
  return std::string(beginning);
}

}  // namespace hone
