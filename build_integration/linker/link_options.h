// What the options of a link mean for linking once more with other addresses. Knows the drivers of
// clang and GCC, and GNU ld, gold, lld and mold behind them. Thread safe.
#pragma once

#include <string_view>

namespace hone {

enum class LinkOption {
  plain,         // nothing: the same for every link
  no_link,       // the command makes no program at all
  refused,       // padding could do harm or no good: see link_options.cc
  map,           // writes a map; of the plain link, not of its copies
  dependencies,  // writes a file of dependencies, likewise
};

// An option of the compiler's driver, with the value that follows it, if any.
LinkOption kind_of_driver_option(std::string_view option, std::string_view value);

// One word that the driver passes to the linker: of "-Wl,a,b", or behind -Xlinker.
LinkOption kind_of_linker_word(std::string_view word);

}  // namespace hone
