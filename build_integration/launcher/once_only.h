// A compile may be done twice, tuned and then plain. That does no harm where a regular file (or
// nothing, yet) has the name that is read or written. Where it is a pipe, a terminal or standard
// output, the second compile would find it empty, or the reader would get everything twice. Looks
// at the file system. Thread safe.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Whether `text`, an argument, names one of the process's own descriptors: standard input, or what
// the shell makes of <(...).
bool names_descriptor(std::string_view text);

// Whether an option has the compiler talk to another process, which would be asked twice: a module
// mapper (GCC) that is no regular file.
bool opens_conversation(std::string_view option);

// Whether `name` is that of a regular file or of nothing. "-" is not, nor is a link to nothing.
bool is_ordinary_file(const std::string& name);

// Whether an option has a file written beside the object that is neither such a file nor
// /dev/null: "-MF -". `value` is the option's following argument, "" if it takes none.
bool has_odd_side_output(std::string_view option, std::string_view value);

}  // namespace hone
