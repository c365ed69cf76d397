#include "build_integration/cli/text_table.h"

#include <algorithm>

#include "common/base/printable.h"

namespace hone {
namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string clipped(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) {
    return std::string(text);
  }
  if (width == 0) {
    return "";
  }
  std::size_t columns = 0;
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    if (!is_continuation(text[bytes])) {
      if (columns + 1 == width) {
        break;
      }
      ++columns;
    }
    ++bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = clipped(printable(cells[i]), columns_[i].max_width);
  }
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) {
      width = std::max(width, display_width(row[i]));
    }
    widths.push_back(width);
  }
  std::string out;
  const auto write = [&](const auto& cell_of) {
    std::string line(indent);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      const std::string padding(widths[i] - display_width(cell), ' ');
      line += i == 0 ? "" : "  ";
      line += columns_[i].align == Align::right ? padding + cell : cell + padding;
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  write([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_) {
    write([&](std::size_t i) -> const std::string& { return row[i]; });
  }
  return out;
}

}  // namespace hone
