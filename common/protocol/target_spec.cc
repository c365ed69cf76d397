#include "common/protocol/target_spec.h"

#include <algorithm>
#include <array>
#include <set>

#include "common/base/text.h"
#include "common/json/pointer.h"
#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr std::size_t kMaxArguments = 256;
constexpr std::size_t kMaxCommands = 64;
constexpr std::size_t kMaxInputs = 64;
constexpr std::size_t kMaxOutputs = 16;
constexpr std::size_t kMaxOutputPath = 256;
constexpr std::size_t kMaxGlobs = 1000;
constexpr std::size_t kMaxSanitizers = 16;
constexpr TextLimits kArgument{.min_size = 0, .max_size = 8192};

constexpr std::array<std::string_view, 6> kWords{"{source}", "{build}", "{cc}",
                                                 "{cxx}",    "{jobs}",  "{input}"};

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// The {word} that starts at `at`, or "" if the brace there starts none.
std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') || text[end] == '_')) {
    ++end;
  }
  const bool closed = end < text.size() && text[end] == '}' && end > at + 1;
  return closed ? text.substr(at, end + 1 - at) : std::string_view();
}

// Calls `take` with every {word} of one argument.
template <class Take>
void each_word(std::string_view text, Take take) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at)) {
    if (text.substr(at, 2) == "{{") {
      at += 2;
      continue;
    }
    const std::string_view word = word_at(text, at);
    if (!word.empty()) {
      take(word);
    }
    at += std::max<std::size_t>(word.size(), 1);
  }
}

enum class InputWord { allowed, refused };

// Checks program and {words} of a command that stands at `pointer`.
void check_command(ObjectReader& reader, const std::string& pointer, const Arguments& command,
                   InputWord input) {
  if (command.empty() || command.front().empty()) {
    reader.problems().add(pointer, "must be a list of texts, the program first");
    return;
  }
  for (std::size_t i = 0; i < command.size(); ++i) {
    each_word(command[i], [&](std::string_view word) {
      const bool known = std::ranges::find(kWords, word) != kWords.end();
      if (!known || (word == "{input}" && input == InputWord::refused)) {
        reader.problems().add(
            child_pointer(pointer, std::to_string(i)),
            std::string(word) + " is not known here; known are {source} {build} {cc} {cxx} {jobs}" +
                (input == InputWord::allowed ? " {input}" : "") + ", and {{ for a brace");
      }
    });
  }
}

// A list of commands; absent gives none.
std::vector<Arguments> read_commands(ObjectReader& reader, std::string_view key) {
  std::vector<Arguments> commands;
  const Json* list = reader.find(key);
  if (list == nullptr) {
    return commands;
  }
  if (!list->is_array() || list->size() > kMaxCommands) {
    reader.refuse(key, "must be a list of at most " + std::to_string(kMaxCommands) + " commands");
    return commands;
  }
  const std::string pointer = child_pointer(reader.pointer(), key);
  for (std::size_t i = 0; i < list->size(); ++i) {
    // The reader of lists works on a key of an object: lend it one.
    const Json holder{{"command", (*list)[i]}};
    Problems found;
    ObjectReader item(holder, "", found, UnknownKeys::ignore);
    Arguments command = item.text_list("command", kMaxArguments, kArgument);
    const std::string item_pointer = child_pointer(pointer, std::to_string(i));
    for (const FieldProblem& problem : found.list()) {
      reader.problems().add(item_pointer + problem.pointer.substr(sizeof("/command") - 1),
                            problem.detail);
    }
    if (found.empty()) {
      check_command(reader, item_pointer, command, InputWord::refused);
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

void check_relative(ObjectReader& reader, std::string_view key, const std::string& path) {
  if (!path.empty() && !is_safe_relative_path(path)) {
    reader.refuse(key, "must be a relative path without \"..\", not \"" + path + "\"");
  }
}

GitSource read_git(ObjectReader& reader) {
  GitSource git;
  git.url = reader.text("url", {.max_size = 2048});
  const bool known_form = git.url.starts_with("https://") || git.url.starts_with("file:///") ||
                          git.url.starts_with('/');
  if (!git.url.empty() && !known_form) {
    reader.refuse("url", "must be an https:// or file:/// URL or an absolute path");
  }
  git.commit = reader.text("commit", {.max_size = 40});
  const bool hexadecimal = git.commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!git.commit.empty() && (git.commit.size() != 40 || !hexadecimal)) {
    reader.refuse("commit", "must be a commit's full name: 40 lower-case hexadecimal digits");
  }
  return git;
}

SourceSpec read_source(ObjectReader& reader) {
  SourceSpec source;
  source.artifact = read_optional_sha256(reader, "artifact");
  reader.optional_object("git", [&source](ObjectReader& git) { source.git = read_git(git); });
  if (!source.artifact.empty() && source.git) {
    reader.refuse("git", "stands beside \"artifact\": a source has one of the two");
  }
  return source;
}

CMakeSpec read_cmake(ObjectReader& reader) {
  CMakeSpec cmake;
  cmake.source = reader.optional_text("source").value_or(".");
  check_relative(reader, "source", cmake.source);
  cmake.options = reader.text_list("options", kMaxArguments, {.max_size = 8192});
  cmake.targets = reader.text_list("targets", kMaxArguments, {.max_size = 256});
  for (const std::string& target : cmake.targets) {
    if (target.starts_with('-')) {
      reader.refuse("targets", "\"" + target + "\" is an option, not a target");
    }
  }
  return cmake;
}

BuildSpec read_build(ObjectReader& reader) {
  BuildSpec build;
  reader.optional_object("cmake",
                         [&build](ObjectReader& cmake) { build.cmake = read_cmake(cmake); });
  build.commands = read_commands(reader, "commands");
  const Json* const commands = reader.find("commands");
  const bool none = commands == nullptr || (commands->is_array() && commands->empty());
  if (!build.cmake && none) {
    reader.refuse("commands", "is missing: a build needs \"cmake\", \"commands\" or both");
  }
  build.binaries = reader.text_list("binaries", kMaxInputs, {.max_size = 1024});
  if (build.binaries.empty() && !reader.has("binaries")) {
    reader.refuse("binaries", "is missing: the files that make up the result, below {build}");
  }
  for (std::size_t i = 0; i < build.binaries.size(); ++i) {
    if (!is_safe_relative_path(build.binaries[i])) {
      reader.problems().add(
          child_pointer(child_pointer(reader.pointer(), "binaries"), std::to_string(i)),
          "must be a relative path without \"..\", not \"" + build.binaries[i] + "\"");
    }
  }
  build.timeout_seconds =
      reader.optional_integer("timeout_seconds", 1, 86400).value_or(build.timeout_seconds);
  build.memory_mib = reader.optional_integer("memory_mib", 16, 1 << 20).value_or(build.memory_mib);
  return build;
}

InputSpec read_input(ObjectReader& reader) {
  InputSpec input;
  input.name = reader.text("name", {.max_size = 64});
  input.file = reader.text("file", {.max_size = 1024});
  check_relative(reader, "file", input.file);
  input.expected_output_sha256 = read_optional_sha256(reader, "expected_output_sha256");
  return input;
}

// Whether a command has the {word}.
bool has_word(const Arguments& command, std::string_view wanted) {
  bool found = false;
  for (const std::string& argument : command) {
    each_word(argument, [&](std::string_view word) { found |= word == wanted; });
  }
  return found;
}

CheckSpec read_check(ObjectReader& reader, const BenchmarkSpec& benchmark) {
  CheckSpec check;
  check.name = reader.text("name", {.max_size = 64});
  check.file = reader.optional_text("file", {.max_size = 1024}).value_or("");
  check_relative(reader, "file", check.file);
  check.expected_output_sha256 = read_optional_sha256(reader, "expected_output_sha256");
  const bool own = reader.has("command");
  if (own) {
    check.command = reader.text_list("command", kMaxArguments, kArgument);
    if (reader.find("command")->is_array()) {
      check_command(reader, child_pointer(reader.pointer(), "command"), check.command,
                    InputWord::allowed);
    }
  }
  check.compare_output =
      reader.optional_truth("compare_output").value_or(own || benchmark.compare_output);
  const bool reads_file = has_word(own ? check.command : benchmark.command, "{input}");
  if (!own && check.file.empty()) {
    reader.refuse("file", "is missing: a check has a file, a command of its own or both");
  } else if (!reads_file && !check.file.empty()) {
    reader.refuse("file", std::string("would not be read: the ") + (own ? "" : "benchmark's ") +
                              "command has no {input}");
  } else if (reads_file && check.file.empty()) {
    reader.refuse("file", "is missing, and the command has {input}");
  }
  return check;
}

Tolerance read_tolerance(ObjectReader& reader) {
  Tolerance tolerance;
  tolerance.relative = reader.optional_number("relative", 0, 0.5).value_or(0);
  tolerance.absolute = reader.optional_number("absolute", 0, kHuge).value_or(0);
  if (!reader.has("relative") && !reader.has("absolute")) {
    reader.refuse("relative", "is missing: a tolerance is relative, absolute or both");
  }
  return tolerance;
}

std::vector<std::string> read_outputs(ObjectReader& reader) {
  std::vector<std::string> outputs =
      reader.text_list("outputs", kMaxOutputs, {.max_size = kMaxOutputPath});
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].empty() && !is_safe_relative_path(outputs[i])) {
      reader.problems().add(
          child_pointer(child_pointer(reader.pointer(), "outputs"), std::to_string(i)),
          "must be a path or glob below the folder that the benchmark runs in, not \"" +
              outputs[i] + "\"");
    }
  }
  return outputs;
}

// Each at most once, in the order of the enumeration, so that equal sets are equal.
std::vector<Sanitizer> read_sanitize(ObjectReader& reader) {
  std::vector<Sanitizer> chosen;
  const std::vector<std::string> names = reader.text_list("sanitize", kMaxSanitizers);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto refuse = [&](const std::string& why) {
      reader.problems().add(
          child_pointer(child_pointer(reader.pointer(), "sanitize"), std::to_string(i)),
          "\"" + names[i] + "\" " + why);
    };
    const std::optional<Sanitizer> sanitizer = parse_sanitizer(names[i]);
    if (!sanitizer) {
      refuse("is not one of " + std::string(kSanitizerChoices));
    } else if (std::ranges::find(chosen, *sanitizer) != chosen.end()) {
      refuse("stands twice");
    } else {
      chosen.push_back(*sanitizer);
    }
  }
  std::ranges::sort(chosen);
  return chosen;
}

// What is compared, after the command, its inputs and their names.
void read_comparison(ObjectReader& reader, BenchmarkSpec& benchmark, std::set<std::string>& names) {
  benchmark.compare_output = reader.optional_truth("compare_output").value_or(true);
  benchmark.compare_stderr = reader.optional_truth("compare_stderr").value_or(false);
  benchmark.outputs = read_outputs(reader);
  reader.each("checks", kMaxInputs, [&](ObjectReader& item) {
    benchmark.checks.push_back(read_check(item, benchmark));
    if (!names.insert(benchmark.checks.back().name).second) {
      item.refuse("name", "\"" + benchmark.checks.back().name + "\" stands twice");
    }
  });
  reader.optional_object("tolerance", [&benchmark](ObjectReader& tolerance) {
    benchmark.tolerance = read_tolerance(tolerance);
  });
  const bool compares = benchmark.compare_output || benchmark.compare_stderr ||
                        !benchmark.outputs.empty() ||
                        std::ranges::any_of(benchmark.checks, &CheckSpec::compare_output);
  if (benchmark.tolerance && !compares) {
    reader.refuse("tolerance", "is of no use: no output is compared");
  }
}

BenchmarkSpec read_benchmark(ObjectReader& reader) {
  BenchmarkSpec benchmark;
  const bool has_command = reader.require("command") != nullptr;
  benchmark.command = reader.text_list("command", kMaxArguments, kArgument);
  const std::string pointer = child_pointer(reader.pointer(), "command");
  if (has_command && reader.find("command")->is_array()) {
    check_command(reader, pointer, benchmark.command, InputWord::allowed);
  }
  std::set<std::string> names;
  reader.each("inputs", kMaxInputs, [&](ObjectReader& item) {
    benchmark.inputs.push_back(read_input(item));
    if (!names.insert(benchmark.inputs.back().name).second) {
      item.refuse("name", "\"" + benchmark.inputs.back().name + "\" stands twice");
    }
  });
  const bool uses_input = has_word(benchmark.command, "{input}");
  if (uses_input && !reader.has("inputs")) {
    reader.refuse("inputs", "is missing, and the command has {input}");
  }
  if (!uses_input && !benchmark.inputs.empty() && !benchmark.command.empty()) {
    reader.refuse("command", "has no {input}, so the inputs would not be read");
  }
  reader.optional_object(
      "metric", [&benchmark](ObjectReader& metric) { benchmark.metric = read_metric(metric); });
  read_comparison(reader, benchmark, names);
  benchmark.sanitize = read_sanitize(reader);
  benchmark.links =
      reader.optional_integer("links", 1, kMaxBenchmarkLinks).value_or(benchmark.links);
  benchmark.timeout_seconds =
      reader.optional_integer("timeout_seconds", 1, 3600).value_or(benchmark.timeout_seconds);
  benchmark.memory_mib =
      reader.optional_integer("memory_mib", 16, 1 << 20).value_or(benchmark.memory_mib);
  return benchmark;
}

TuneSpec read_tune(ObjectReader& reader) {
  TuneSpec tune;
  if (reader.has("include")) {
    tune.include = reader.text_list("include", kMaxGlobs, {.max_size = 1024});
    const Json* const list = reader.find("include");
    if (list->is_array() && list->empty()) {
      reader.refuse("include", "must have a glob; leave it out to tune every source");
    }
  }
  tune.exclude = reader.text_list("exclude", kMaxGlobs, {.max_size = 1024});
  tune.deadline_seconds = reader.optional_integer("deadline_seconds", 1, kLongestDeadline);
  return tune;
}

Json to_json(const BuildSpec& build) {
  Json cmake;
  if (build.cmake) {
    cmake = Json{{"source", build.cmake->source},
                 {"options", build.cmake->options},
                 {"targets", build.cmake->targets}};
  }
  return Json{{"cmake", std::move(cmake)},
              {"commands", build.commands},
              {"binaries", build.binaries},
              {"timeout_seconds", build.timeout_seconds},
              {"memory_mib", build.memory_mib}};
}

Json to_json(const BenchmarkSpec& benchmark) {
  Json inputs = Json::array();
  for (const InputSpec& input : benchmark.inputs) {
    inputs.push_back({{"name", input.name},
                      {"file", input.file},
                      {"expected_output_sha256", null_if_empty(input.expected_output_sha256)}});
  }
  Json checks = Json::array();
  for (const CheckSpec& check : benchmark.checks) {
    checks.push_back({{"name", check.name},
                      {"command", check.command.empty() ? Json() : Json(check.command)},
                      {"file", null_if_empty(check.file)},
                      {"expected_output_sha256", null_if_empty(check.expected_output_sha256)},
                      {"compare_output", check.compare_output}});
  }
  Json tolerance;
  if (benchmark.tolerance) {
    tolerance = Json{{"relative", benchmark.tolerance->relative},
                     {"absolute", benchmark.tolerance->absolute}};
  }
  Json sanitize = Json::array();
  for (const Sanitizer sanitizer : benchmark.sanitize) {
    sanitize.push_back(std::string(to_string(sanitizer)));
  }
  return Json{{"command", benchmark.command},
              {"inputs", std::move(inputs)},
              {"checks", std::move(checks)},
              {"metric", to_json(benchmark.metric)},
              {"compare_output", benchmark.compare_output},
              {"compare_stderr", benchmark.compare_stderr},
              {"outputs", benchmark.outputs},
              {"tolerance", std::move(tolerance)},
              {"sanitize", std::move(sanitize)},
              {"links", benchmark.links},
              {"timeout_seconds", benchmark.timeout_seconds},
              {"memory_mib", benchmark.memory_mib}};
}

}  // namespace

bool is_valid_name(std::string_view text) {
  if (text.empty() || text.size() > 63 || !is_lower_or_digit(text.front())) {
    return false;
  }
  return std::ranges::all_of(
      text, [](char c) { return is_lower_or_digit(c) || c == '.' || c == '_' || c == '-'; });
}

bool is_safe_relative_path(std::string_view text) {
  if (text.empty() || text.find('\0') != std::string_view::npos) {
    return false;
  }
  for (const std::string_view part : split(text, '/')) {
    if (part.empty() || part == "..") {
      return false;
    }
  }
  return true;
}

TargetSpec read_target_spec(ObjectReader& reader) {
  TargetSpec spec;
  spec.name = read_name(reader, "name");
  reader.optional_object("source",
                         [&spec](ObjectReader& source) { spec.source = read_source(source); });
  spec.fetch = read_commands(reader, "fetch");
  reader.object("build", [&spec](ObjectReader& build) { spec.build = read_build(build); });
  reader.object("benchmark",
                [&spec](ObjectReader& benchmark) { spec.benchmark = read_benchmark(benchmark); });
  reader.optional_object("tune", [&spec](ObjectReader& tune) { spec.tune = read_tune(tune); });
  reader.optional_object(
      "requires", [&spec](ObjectReader& required) { spec.required = read_requirements(required); });
  return spec;
}

Result<TargetSpec> parse_target_spec(const Json& document, UnknownKeys unknown) {
  return parse_document(document, unknown, "target", read_target_spec);
}

Json to_json(const TargetSpec& spec) {
  Json git;
  if (spec.source.git) {
    git = Json{{"url", spec.source.git->url}, {"commit", spec.source.git->commit}};
  }
  Json document{
      {"name", spec.name},
      {"source", {{"artifact", null_if_empty(spec.source.artifact)}, {"git", std::move(git)}}},
      {"fetch", spec.fetch},
      {"build", to_json(spec.build)},
      {"benchmark", to_json(spec.benchmark)},
      {"tune", {{"include", spec.tune.include}, {"exclude", spec.tune.exclude}}}};
  // Left out where they say nothing: a target that was registered before is the same as it was.
  if (spec.tune.deadline_seconds) {
    document["tune"]["deadline_seconds"] = *spec.tune.deadline_seconds;
  }
  if (!spec.required.empty()) {
    document["requires"] = to_json(spec.required);
  }
  return document;
}

Result<Arguments> expand(const Arguments& command, const std::vector<Placeholder>& words) {
  Arguments expanded;
  expanded.reserve(command.size());
  for (const std::string& argument : command) {
    std::string text;
    for (std::size_t at = 0; at < argument.size();) {
      if (argument.compare(at, 2, "{{") == 0) {
        text.push_back('{');
        at += 2;
        continue;
      }
      const std::string_view word =
          argument[at] == '{' ? word_at(argument, at) : std::string_view();
      if (word.empty()) {
        text.push_back(argument[at++]);
        continue;
      }
      const auto known = std::ranges::find(words, word, &Placeholder::word);
      if (known == words.end()) {
        return fail(
            ErrorCode::invalid_argument,
            std::string(word) + " is not known in the command argument \"" + argument + "\"");
      }
      text += known->value;
      at += word.size();
    }
    expanded.push_back(std::move(text));
  }
  return expanded;
}

}  // namespace hone
