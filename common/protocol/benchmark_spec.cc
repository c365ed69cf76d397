#include "common/protocol/benchmark_spec.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "common/json/pointer.h"
#include "common/protocol/fields.h"
#include "common/protocol/names.h"

namespace hone {
namespace {

constexpr std::size_t kMaxInputs = 64;
constexpr std::size_t kMaxOutputs = 16;
constexpr std::size_t kMaxOutputPath = 256;
constexpr std::size_t kMaxSanitizers = 16;

InputSpec read_input(ObjectReader& reader) {
  InputSpec input;
  input.name = reader.text("name", {.max_size = 64});
  input.file = reader.text("file", {.max_size = 1024});
  check_relative_path(reader, "file", input.file);
  input.expected_output_sha256 = read_optional_sha256(reader, "expected_output_sha256");
  return input;
}

CheckSpec read_check(ObjectReader& reader, const BenchmarkSpec& benchmark) {
  CheckSpec check;
  check.name = reader.text("name", {.max_size = 64});
  check.file = reader.optional_text("file", {.max_size = 1024}).value_or("");
  check_relative_path(reader, "file", check.file);
  check.expected_output_sha256 = read_optional_sha256(reader, "expected_output_sha256");
  const bool own = reader.has("command");
  if (own) {
    check.command = read_command(reader, InputWord::allowed);
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

}  // namespace

BenchmarkSpec read_benchmark(ObjectReader& reader) {
  BenchmarkSpec benchmark;
  reader.require("command");
  benchmark.command = read_command(reader, InputWord::allowed);
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

}  // namespace hone
