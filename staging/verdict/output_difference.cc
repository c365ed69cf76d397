#include "staging/verdict/output_difference.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <tuple>

#include "common/base/text.h"
#include "staging/verdict/tolerant_text.h"

namespace hone {
namespace {

// Of the line in which two texts differ, what is shown before the place and in all.
constexpr std::size_t kShownBefore = 24;
constexpr std::size_t kShown = 72;

// The first bytes of a text as printable characters: control characters and what is no UTF-8 as
// \xNN, the end of a line as \n.
std::string printable(std::string_view text, std::size_t size) {
  std::string shown;
  for (std::size_t at = 0; at < std::min(size, text.size());) {
    const std::size_t bytes = utf8_size(text.substr(at));
    const auto first = static_cast<unsigned char>(text[at]);
    // 0xC2 with 0x80 to 0x9F is a control character, too.
    const bool control =
        first < 0x20 || first == 0x7F ||
        (first == 0xC2 && bytes == 2 && static_cast<unsigned char>(text[at + 1]) < 0xA0);
    if (text[at] == '\n') {
      shown += "\\n";
    } else if (bytes == 0 || control) {
      char code[5];
      std::snprintf(code, sizeof code, "\\x%02x", first);
      shown += code;
    } else {
      shown += text.substr(at, bytes);
      at += bytes - 1;
    }
    ++at;
  }
  return shown;
}

// The line around a place, or the part of it that is near.
std::string line_at(std::string_view text, std::size_t at) {
  if (at >= text.size() && (text.empty() || text.back() == '\n')) {
    return "the end";
  }
  const std::size_t before = text.substr(0, at).rfind('\n');
  std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  std::string shown = "'";
  if (at - start > kShownBefore) {
    start = at - kShownBefore;
    // Not from within a character.
    while (start < at && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) {
      ++start;
    }
    shown += "...";
  }
  std::size_t end = std::min(text.find('\n', start), text.size());
  // A line's end is shown where it is what differs.
  end += end == at && end < text.size() ? 1 : 0;
  shown += printable(text.substr(start), std::min(end - start, kShown));
  return shown + (end - start > kShown ? "...'" : "'");
}

std::string describe_place(std::string_view reference, std::string_view made,
                           const TextMismatch& place) {
  const auto line =
      1 + std::count(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(place.made), '\n');
  return "line " + std::to_string(line) + " (from byte " + std::to_string(place.made) +
         "): " + line_at(made, place.made) + ", not " + line_at(reference, place.reference);
}

// Two outputs of one name; nothing if they agree.
std::optional<std::string> compare(const WrittenOutput& reference, const WrittenOutput& made,
                                   const std::optional<Tolerance>& tolerance) {
  if (reference.sha256 == made.sha256) {
    return std::nullopt;
  }
  if (tolerance) {
    const std::optional<TextMismatch> place = find_mismatch(reference.text, made.text, *tolerance);
    return place ? std::optional(describe_place(reference.text, made.text, *place)) : std::nullopt;
  }
  const auto [ours, theirs] = std::ranges::mismatch(made.text, reference.text);
  const auto same = static_cast<std::size_t>(ours - made.text.begin());
  // What was kept of one of them may end before they differ.
  const bool cut = (ours == made.text.end() && made.text.size() < made.bytes) ||
                   (theirs == reference.text.end() && reference.text.size() < reference.bytes);
  if (cut || (ours == made.text.end() && theirs == reference.text.end())) {
    return "after its first " + std::to_string(same) + " bytes, SHA-256 " + made.sha256 + ", not " +
           reference.sha256;
  }
  return describe_place(reference.text, made.text, {same, same});
}

std::string shown_name(const WrittenOutput& output) {
  const std::string name = describe(output);
  return printable(name, name.size());
}

bool comes_before(const WrittenOutput& a, const WrittenOutput& b) {
  return std::tie(a.kind, a.name) < std::tie(b.kind, b.name);
}

}  // namespace

std::optional<OutputDifference> find_difference(const std::vector<WrittenOutput>& reference,
                                                const std::vector<WrittenOutput>& made,
                                                const std::optional<Tolerance>& tolerance) {
  auto theirs = reference.begin();
  auto ours = made.begin();
  while (theirs != reference.end() || ours != made.end()) {
    if (ours == made.end() || (theirs != reference.end() && comes_before(*theirs, *ours))) {
      return OutputDifference{shown_name(*theirs), "it is missing"};
    }
    if (theirs == reference.end() || comes_before(*ours, *theirs)) {
      return OutputDifference{shown_name(*ours), "only this run wrote it"};
    }
    if (std::optional<std::string> detail = compare(*theirs, *ours, tolerance)) {
      return OutputDifference{shown_name(*ours), *std::move(detail)};
    }
    ++theirs;
    ++ours;
  }
  return std::nullopt;
}

}  // namespace hone
