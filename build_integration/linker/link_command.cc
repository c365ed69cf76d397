#include "build_integration/linker/link_command.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "build_integration/launcher/option_table.h"
#include "build_integration/launcher/response_file.h"
#include "build_integration/linker/link_options.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr auto kLaunchers = std::to_array<std::string_view>(
    {"hone-link", "hone-cc", "ccache", "sccache", "distcc", "icecc"});

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Where the compiler stands behind its launchers and their flags.
std::size_t find_compiler(const std::vector<std::string>& command) {
  std::size_t at = 0;
  while (at + 1 < command.size() &&
         std::ranges::find(kLaunchers, base_name(command[at])) != kLaunchers.end()) {
    ++at;
    while (at + 1 < command.size() && command[at].starts_with("--")) {
      ++at;
    }
  }
  return at;
}

bool is_linker(std::string_view compiler) {
  const std::string_view name = base_name(compiler);
  return name == "ld" || name.starts_with("ld.") || name.ends_with("-ld") ||
         name.find("lld") != std::string_view::npos || name.ends_with("gold") ||
         name.ends_with("mold") || name == "libtool";
}

// Objects and archives; ".lo" is what Bazel calls an archive that is linked whole.
bool is_object(std::string_view name) {
  return name.ends_with(".o") || name.ends_with(".obj") || name.ends_with(".a") ||
         name.ends_with(".lo");
}

bool is_shared_library(std::string_view name) {
  const std::string_view file = base_name(name);
  return file.ends_with(".so") || file.find(".so.") != std::string_view::npos;
}

class Scanner {
 public:
  explicit Scanner(LinkCommand& result) : result_(result) {}

  void scan() {
    const std::vector<std::string>& words = result_.words;
    for (std::size_t i = result_.arguments; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.empty() || word.front() != '-') {
        add_input(i);
        continue;
      }
      const std::size_t values = std::min(following_values(word), words.size() - 1 - i);
      add_option(i, values > 0 ? words[i + 1] : std::string_view());
      i += values;
    }
  }

 private:
  void refuse(std::string why) {
    if (result_.refused.empty()) {
      result_.refused = std::move(why);
    }
  }

  void add_input(std::size_t at) {
    const std::string& name = result_.words[at];
    if (is_object(name)) {
      result_.places.push_back(at);
    } else if (!is_shared_library(name)) {
      refuse("'" + name + "' among its link's inputs is neither an object nor a library");
    }
  }

  void add_option(std::size_t at, std::string_view value) {
    const std::string& option = result_.words[at];
    const bool joined = option.size() > 2 && option.starts_with("-o") &&
                        !option.starts_with("-objc") && !option.starts_with("-object");
    if (option == "-o" || joined) {
      if (!result_.output.empty()) {
        refuse("its link has two outputs");
      }
      result_.output = joined ? option.substr(2) : std::string(value);
      result_.output_word = joined ? at : at + 1;
      return;
    }
    if (option.starts_with("-Wl,")) {
      for (const std::string_view word : split(std::string_view(option).substr(4), ',')) {
        take(kind_of_linker_word(word), word);
      }
    } else if (option == "-Xlinker" || option == "-Zlinker-input") {
      take(kind_of_linker_word(value), value);
    } else {
      take(kind_of_driver_option(option, value), option);
    }
  }

  void take(LinkOption kind, std::string_view option) {
    switch (kind) {
      case LinkOption::plain:
        break;
      case LinkOption::no_link:
        result_.makes_program = false;
        break;
      case LinkOption::refused:
        refuse("its link has the option '" + std::string(option) + "'");
        break;
      case LinkOption::map:
        result_.writes_map = true;
        break;
      case LinkOption::dependencies:
        result_.writes_dependencies = true;
        break;
    }
  }

  LinkCommand& result_;
};

}  // namespace

LinkCommand scan_link(const std::vector<std::string>& command) {
  LinkCommand result;
  const std::size_t compiler = find_compiler(command);
  if (compiler + 1 >= command.size()) {
    return result;
  }
  const std::vector<std::string> given(command.begin() + static_cast<std::ptrdiff_t>(compiler) + 1,
                                       command.end());
  const std::optional<std::vector<std::string>> expanded = expand_response_files(given);
  result.words.assign(command.begin(), command.end() - static_cast<std::ptrdiff_t>(given.size()));
  result.arguments = result.words.size();
  result.words.insert(result.words.end(), (expanded ? *expanded : given).begin(),
                      (expanded ? *expanded : given).end());
  result.has_response_file = expanded && *expanded != given;
  result.makes_program = true;
  if (is_linker(command[compiler])) {
    result.refused = "its link calls the linker without a compiler";
  } else if (!expanded) {
    result.refused = "its link has a response file that can't be read twice";
  }
  Scanner(result).scan();
  if (result.output.empty()) {
    result.makes_program = false;
  } else if (result.places.empty() && result.refused.empty()) {
    result.refused = "its link has no object to put padding before";
  }
  return result;
}

}  // namespace hone
