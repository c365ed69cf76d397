// A target's commands: argument lists, never shell text.
//
// These words in them are replaced by the worker: {source} {build} (absolute folders), {cc} {cxx}
// (compiler wrapped by launcher and object cache), {jobs}, and in benchmark commands {input}
// (absolute path of the input file). "{{" stands for one brace; a brace that starts no {word} of
// small letters stands for itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/json/object_reader.h"

namespace hone {

using Arguments = std::vector<std::string>;

inline constexpr std::size_t kMaxCommandArguments = 256;  // of one command

// Whether {input} is known in a command.
enum class InputWord { allowed, refused };

// The command at "command"; absent gives an empty one. Noted as problems: what is no list of texts,
// an empty program, and a {word} that is not known there.
Arguments read_command(ObjectReader& reader, InputWord input);
// A list of commands, all without {input}; absent gives none. The same problems.
std::vector<Arguments> read_commands(ObjectReader& reader, std::string_view key);

// Whether a command has the {word}, given with its braces.
bool has_word(const Arguments& command, std::string_view wanted);

// A command with its {words} replaced; invalid_argument naming an unknown {word}. Replaced text is
// not looked at again.
struct Placeholder {
  std::string word;  // with braces
  std::string value;
};
Result<Arguments> expand(const Arguments& command, const std::vector<Placeholder>& words);

}  // namespace hone
