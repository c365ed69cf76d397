// What hone-link is asked to do, by the environment, since build systems pass on no arguments:
//
//   HONE_LINK_PROGRAM   the program to link several times: a path, of which the last part counts;
//                       unset or empty: none, every command is run as it is
//   HONE_LINK_COPIES    how many further links of it, 1 to 63; unset or anything else: none
//   HONE_LINK_SECONDS   that all of them may take together; default 10
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

struct LinkSettings {
  std::string program;  // without folders
  std::size_t copies = 0;
  std::chrono::milliseconds time{10000};

  // Whether further links of this output are asked for.
  bool want(std::string_view output) const;
};

LinkSettings read_link_settings();

}  // namespace hone
