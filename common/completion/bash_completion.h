// A program's completion for bash, made of what CLI11 knows of it: subcommands, options, the values
// that an option may have. Thread safe as long as nobody changes the App.
#pragma once

#include <map>
#include <string>

namespace CLI {
class App;
}

namespace hone {

// What to complete where a positional or an option (without dashes) of that name is wanted:
// arguments of the program itself, which prints the words, one a line, and nothing else.
// {"target", "completion values target"}.
using CompletionLookups = std::map<std::string, std::string>;

// A script that bash sources; it needs bash 4.4 and nothing else. Options and commands of an empty
// group (hidden) are left out, as are values with blanks in them.
std::string bash_completion(const CLI::App& app, const CompletionLookups& lookups = {});

// Adds --bash-completion, which prints the script and ends the parse as --version does.
void add_bash_completion(CLI::App& app);

}  // namespace hone
