// What a compiler command does, as far as linking it once more is concerned. Thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hone {

struct LinkCommand {
  bool makes_program = false;        // it links, as far as its options tell
  std::string refused;               // why it can't be linked with padding; empty: it can
  std::string output;                // of -o, as spelled; empty if there is none
  std::vector<std::string> words;    // all of it, response files taken apart
  std::size_t arguments = 0;         // where the compiler's arguments begin in `words`
  bool has_response_file = false;    // so that the words may be too long for a command line
  std::size_t output_word = 0;       // where the output stands
  std::vector<std::size_t> places;   // of objects and archives: padding may stand before each
  bool writes_map = false;           // by -Wl,-Map
  bool writes_dependencies = false;  // by -Wl,--dependency-file
};

// `command` begins with launchers (hone-cc, ccache ...), then the compiler. A program can be linked
// with padding if its inputs are objects and archives alone, and no option is refused
// (link_options.cc): sources in the same call would be compiled once more for every copy.
LinkCommand scan_link(const std::vector<std::string>& command);

}  // namespace hone
