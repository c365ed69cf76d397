// Response files: "@name" stands for the arguments in that file. Read here to understand a command,
// never to rewrite it: the compiler gets the command as it came. Thread safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The arguments of a text: white space separates, a backslash takes the next byte literally, within
// quotes of both kinds too (as LLVM's TokenizeGNUCommandLine does).
std::vector<std::string> split_response_file(std::string_view text);

// The arguments with every @file replaced by its content, files within files too. An "@name" that
// is no readable file stays as it is, as with the compiler. Nothing if files nest deeper than 20,
// hold over 64 MiB together, hold UTF-16 or white space on which compilers disagree, or if one is a
// pipe (reading it would take it away).
std::optional<std::vector<std::string>> expand_response_files(
    const std::vector<std::string>& arguments);

}  // namespace hone
