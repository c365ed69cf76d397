#include "build_integration/launcher/command_line.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "build_integration/launcher/once_only.h"
#include "build_integration/launcher/option_table.h"
#include "build_integration/launcher/profile_use.h"
#include "build_integration/launcher/refused_options.h"
#include "build_integration/launcher/response_file.h"

namespace hone {
namespace {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The suffixes and -x names of C and C++ source, preprocessed and module sources included; headers
// are not among them, since they become no object.
constexpr auto kSuffixes =
    std::to_array<std::string_view>({"c", "i", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "CXX",
                                     "ii", "cppm", "ccm", "cxxm", "c++m"});
constexpr auto kLanguages =
    std::to_array<std::string_view>({"c", "c++", "cpp-output", "c++-cpp-output", "c++-module"});

bool is_tunable_source(std::string_view input, std::string_view language) {
  if (!language.empty() && language != "none") {
    return std::ranges::find(kLanguages, language) != kLanguages.end();
  }
  const std::string_view name = base_name(input);
  const std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos &&
         std::ranges::find(kSuffixes, name.substr(dot + 1)) != kSuffixes.end();
}

// "-O3" and its relatives; "" for what rules cannot name.
std::string_view level_of(std::string_view option) {
  const std::string_view text = option.substr(2);
  if (text.empty() || text == "1") {
    return "O1";
  }
  if (text == "0") {
    return "O0";
  }
  if (text == "2") {
    return "O2";
  }
  if (text == "s") {
    return "Os";
  }
  if (text == "z") {
    return "Oz";
  }
  if (text == "g") {
    return "Og";
  }
  if (text == "fast" || text.find_first_not_of("0123456789") == std::string_view::npos) {
    return "O3";
  }
  return "";
}

// A compiler's name may choose its mode: clang-cl. Of a target in it the compiler itself is asked
// (compiler_identity.h).
Reason refusal_of_name(std::string_view compiler) {
  const std::string_view name = base_name(compiler);
  const std::size_t at = name.find("clang");
  if (at == std::string_view::npos) {
    return Reason::none;
  }
  if (name.substr(at).starts_with("clang-cl") || name.substr(at).starts_with("clang-cpp") ||
      name.substr(at).starts_with("clang-dxc")) {
    return Reason::other_driver;
  }
  return Reason::none;
}

class Scanner {
 public:
  explicit Scanner(CommandLine& result) : result_(result) {}

  void scan(const std::vector<std::string>& arguments) {
    bool only_inputs = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string& argument = arguments[i];
      if (only_inputs || argument.empty() || argument.front() != '-') {
        add_input(argument);
      } else if (argument == "-") {
        refuse(Reason::stdin_input, argument);
        add_input(argument);
      } else if (argument == "--") {
        only_inputs = true;
      } else {
        Option option{argument, {}};
        for (std::size_t values = following_values(argument);
             values > 0 && i + 1 < arguments.size(); --values) {
          option.values.push_back(arguments[++i]);
        }
        if (!take_decision(option)) {
          add_option(option);
          result_.options.push_back(std::move(option));
        }
      }
    }
  }

  void finish() {
    result_.makes_object = compiles_ && result_.refused != Reason::not_a_compile;
    if (!compiles_) {
      refuse(Reason::not_a_compile, "");
    }
    if (inputs_.empty()) {
      refuse(Reason::no_source, "");
      return;
    }
    result_.source = inputs_.front().name;
    if (inputs_.size() > 1) {
      refuse(Reason::several_sources, inputs_[1].name);
    }
    if (!is_tunable_source(inputs_.front().name, inputs_.front().language)) {
      refuse(Reason::other_language, inputs_.front().name);
    }
    if (result_.output.empty()) {
      const std::string_view name = base_name(result_.source);
      result_.output = std::string(name.substr(0, name.rfind('.'))) + ".o";
    }
    if (result_.refused == Reason::none && !is_ordinary_file(result_.output)) {
      refuse(Reason::other_output, result_.output);
    }
    if (result_.refused == Reason::none && !is_ordinary_file(result_.source)) {
      refuse(Reason::stdin_input, result_.source);
    }
    if (result_.level.empty() || result_.level == "O0" || result_.level == "Og") {
      refuse(Reason::level, result_.level.empty() ? "" : "-" + result_.level);
    }
  }

  void refuse(Reason reason, std::string_view because) {
    // The first is kept, but for a mode, which says most: it decides whether there is an object.
    if (result_.refused == Reason::none ||
        (reason == Reason::not_a_compile && result_.refused != Reason::not_a_compile)) {
      result_.refused = reason;
      result_.refused_because = because;
    }
  }

 private:
  struct Input {
    std::string name;
    std::string language;  // of the last -x before it
  };

  // Ours, in the linker's clothes: a compiler that only compiles ignores it.
  bool take_decision(const Option& option) {
    constexpr std::string_view kDecision = "--hone-decision=";
    if (option.text != "-Xlinker" || option.values.empty() ||
        !option.values.front().starts_with(kDecision)) {
      return false;
    }
    result_.decision = option.values.front().substr(kDecision.size());
    return true;
  }

  void add_input(const std::string& name) { inputs_.push_back({name, language_}); }

  void add_option(const Option& option) {
    const std::string_view text = option.text;
    const std::string_view value = option.values.empty() ? std::string_view() : option.values[0];
    if (text == "-c") {
      compiles_ = true;
      return;
    }
    if (text == "-o") {
      result_.output = value;
      return;
    }
    if (text == "-x" || (text.starts_with("-x") && text.size() > 2)) {
      language_ = text == "-x" ? value : text.substr(2);
      return;
    }
    if (is_profile_use(text)) {
      result_.profile = profile_of(text);
      return;
    }
    const Reason reason = refusal_of(text, value);
    if (reason != Reason::none) {
      refuse(reason, option.text);
      return;
    }
    if (has_odd_side_output(text, value)) {
      refuse(Reason::other_output, option.text);
      return;
    }
    if (opens_conversation(text)) {
      refuse(Reason::unusual_option, option.text);
      return;
    }
    if (names_descriptor(text) || std::ranges::any_of(option.values, names_descriptor)) {
      refuse(Reason::stdin_input, option.text);
      return;
    }
    // "-Xclang -mllvm -Xclang -name=value" is a knob, too.
    const bool is_knob = after_frontend_knob_;
    after_frontend_knob_ = text == "-Xclang" && value == "-mllvm";
    if (text == "-Xclang" && is_knob) {
      const Reason knob_refused = refusal_of("-mllvm", value);
      if (knob_refused != Reason::none) {
        refuse(knob_refused, value);
        return;
      }
      add_user_knob(value);
      return;
    }
    if (text.starts_with("-O")) {
      result_.level = level_of(text);
    } else if (text.starts_with("-o") && !text.starts_with("-objc") &&
               !text.starts_with("-object")) {
      result_.output = text.substr(2);
    } else if (text == "-fno-profile-use" || text == "-fno-profile-instr-use") {
      result_.profile.clear();
    } else if (text == "-flto" || text.starts_with("-flto=") || text == "-fno-lto") {
      result_.link_time = text != "-fno-lto";
    } else if (text == "-mllvm") {
      add_user_knob(value);
    } else if (text.starts_with("-mllvm=")) {
      add_user_knob(text.substr(7));
    }
  }

  void add_user_knob(std::string_view text) {
    const std::size_t begin = text.find_first_not_of('-');
    if (begin != std::string_view::npos) {
      text.remove_prefix(begin);
      result_.user_knobs.emplace_back(text.substr(0, text.find('=')));
    }
  }

  CommandLine& result_;
  std::string language_;
  bool compiles_ = false;
  bool after_frontend_knob_ = false;  // the last option was "-Xclang -mllvm"
  std::vector<Input> inputs_;
};

}  // namespace

CommandLine scan_command_line(std::string_view compiler,
                              const std::vector<std::string>& arguments) {
  CommandLine result;
  Scanner scanner(result);
  const auto expanded = expand_response_files(arguments);
  if (!expanded) {
    result.refused = Reason::response_file;
    return result;
  }
  const Reason by_name = refusal_of_name(compiler);
  if (by_name != Reason::none) {
    scanner.refuse(by_name, compiler);
  }
  scanner.scan(*expanded);
  scanner.finish();
  return result;
}

std::string_view unusual_environment() {
  static constexpr auto kVariables = std::to_array<const char*>(
      {"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "CCC_OVERRIDE_OPTIONS", "CC_PRINT_OPTIONS",
       "CC_PRINT_HEADERS", "CXX_MODULE_MAPPER", "CC_LOG_DIAGNOSTICS", "CC_PRINT_PROC_STAT",
       "CC_PRINT_INTERNAL_STAT", "FORCE_CLANG_DIAGNOSTICS_CRASH", "GCC_COMPARE_DEBUG"});
  for (const char* variable : kVariables) {
    if (std::getenv(variable) != nullptr) {
      return variable;
    }
  }
  return {};
}

}  // namespace hone
