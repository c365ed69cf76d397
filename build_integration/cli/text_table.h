// Columns of text, aligned, for a terminal. Not thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

enum class Align { left, right };

// Terminal columns a UTF-8 text takes: code points, combining marks and wide ones not told apart.
std::size_t display_width(std::string_view text);

// The text cut to `width` columns, with "…" for what was cut.
std::string clipped(std::string_view text, std::size_t width);

class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
    std::size_t max_width = 60;  // longer cells are clipped
  };

  explicit TextTable(std::vector<Column> columns);

  // One cell a column; missing ones are empty. Control characters become spaces: cells hold what
  // other people wrote.
  void add(std::vector<std::string> cells);

  // Title line and rows, each ended by a newline, two spaces between columns, no trailing blanks.
  std::string text(std::string_view indent = "") const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hone
