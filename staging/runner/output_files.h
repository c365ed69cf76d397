// The files that a benchmark writes in its folder, read when all its processes have ended.
//
// Whoever wrote them is not trusted: links are neither followed nor read, nothing but a regular
// file of the program's own user is opened (a hard link to somebody else's file is theirs), and
// number, size, depth and entries looked at have limits, holes in a file counting as bytes. Thread
// safe for distinct folders.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "staging/runner/written_output.h"

namespace hone {

inline constexpr std::size_t kMaxOutputFiles = 256;
inline constexpr std::uint64_t kMaxOutputFileBytes = std::uint64_t{256} << 20U;  // of all together

// Names of all that is no folder and that one of the patterns names, sorted, relative to the open
// `folder`; of a pattern without '*' and '?' whatever has that name. too_large past a limit;
// invalid_argument for a link or a file in the place of one of the pattern's folders.
Result<std::vector<std::string>> find_output_files(int folder,
                                                   const std::vector<std::string>& patterns);

// Their content. too_large past a limit, invalid_argument for what is no file of `owner`'s that can
// be read, each saying what the program did: "wrote 'x' as a symbolic link, which is not followed".
// Other errors are this machine's.
Result<std::vector<WrittenOutput>> read_output_files(int folder,
                                                     const std::vector<std::string>& patterns,
                                                     uid_t owner, KeptText& kept);

// Removes what find_output_files() finds.
Result<void> remove_output_files(int folder, const std::vector<std::string>& patterns);

}  // namespace hone
