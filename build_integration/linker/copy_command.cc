#include "build_integration/linker/copy_command.h"

namespace hone {

std::vector<std::string> copy_command(const LinkCommand& link, const std::string& output,
                                      const std::vector<Padding>& layout,
                                      const std::vector<std::string>& paddings) {
  std::vector<std::string> words;
  std::string keep = "-Wl";
  std::size_t next = 0;
  for (std::size_t i = 0; i < link.words.size(); ++i) {
    if (next < layout.size() && i == link.places[layout[next].place]) {
      for (std::size_t part = 0; part < layout[next].parts.size(); ++part) {
        keep += ",-u," + padding_symbol(next, part);
      }
      words.push_back(paddings[next++]);
    }
    if (i == link.output_word) {
      words.push_back(link.words[i] == link.output ? output : "-o" + output);
    } else {
      words.push_back(link.words[i]);
    }
  }
  words.push_back(keep);
  // The last of these options counts.
  if (link.writes_map) {
    words.emplace_back("-Wl,-Map=/dev/null");
  }
  if (link.writes_dependencies) {
    words.emplace_back("-Wl,--dependency-file=/dev/null");
  }
  return words;
}

std::string response_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text.push_back('"');
    for (const char c : word) {
      if (c == '"' || c == '\\') {
        text.push_back('\\');
      }
      text.push_back(c);
    }
    text += "\"\n";
  }
  return text;
}

}  // namespace hone
