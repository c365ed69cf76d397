// Further links of a program: the same code at other addresses, in files beside it.
//
//   bin/app                        the program, as its build made it
//   bin/app.hone-link-1 ...        its copies, numbered from 1
//   bin/app.hone-links             which binary they are copies of, how many, why not more
//
// hone-link makes them, a worker draws one for each run. Whoever changes or replaces the program
// afterwards (strip, patchelf, another build) leaves copies of something else: the note holds the
// program's hash, and copies of another content count as none. Thread safe for distinct programs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/hash.h"
#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxLinks = 64;  // of one program, the plain one included
inline constexpr std::size_t kMaxLinkedBytes = std::size_t{1} << 30U;  // of a program with copies

// `number` from 1.
std::filesystem::path link_copy(const std::filesystem::path& program, std::size_t number);

// Takes away the copies and the note, those of an earlier link with more of them included. What
// cannot be removed has no note, and so does not count.
void remove_link_copies(const std::filesystem::path& program);

// Says that copies 1 to `count` are of the program with this hash. io_failed: then there are none.
Result<void> note_link_copies(const std::filesystem::path& program, Hash128 hash, std::size_t count,
                              std::string_view why_not_more);

struct LinkCopies {
  std::size_t count = 0;
  std::string why_not_more;  // for people; empty if there are as many as were asked for
};

// The copies of the program as it is now: files, all with its owner's right to run them.
LinkCopies read_link_copies(const std::filesystem::path& program);

}  // namespace hone
