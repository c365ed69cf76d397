#include "build_integration/cli/bench_options.h"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <random>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/json/document.h"

namespace hone {
namespace {

bool ends_with_one_of(std::string_view text) {
  return text.ends_with(".json") || text.ends_with(".csv") || text.ends_with(".svg");
}

// As a target would say it, so that the rules are the same.
Json metric_document(const BenchOptions& options) {
  const MetricOptions& metric = options.metric;
  const bool says_where = !metric.pattern.empty() || !metric.json.empty() || !metric.format.empty();
  Json document = Json::object();
  document["metric"] = metric.name.empty() ? (says_where ? "printed" : "cpu_time") : metric.name;
  const auto add = [&document](const char* key, const std::string& value) {
    if (!value.empty()) {
      document[key] = value;
    }
  };
  add("pattern", metric.pattern);
  add("json", metric.json);
  add("format", metric.format);
  add("benchmark", metric.benchmark);
  add("field", metric.field);
  document["higher_is_better"] = metric.higher_is_better;
  return document;
}

// The first problem in the words of the command line.
Error as_options(const MetricOptions& metric, const Error& error) {
  const std::pair<std::string_view, std::pair<const char*, const std::string*>> names[] = {
      {"/metric", {"--metric", &metric.name}},
      {"/pattern", {"--pattern", &metric.pattern}},
      {"/json", {"--json-pointer", &metric.json}},
      {"/format", {"--format", &metric.format}},
      {"/benchmark", {"--benchmark", &metric.benchmark}},
      {"/field", {"--field", &metric.field}}};
  if (error.fields.empty()) {
    return error;
  }
  const auto& field = error.fields.front();
  for (const auto& [pointer, option] : names) {
    if (field.pointer == pointer) {
      return fail(ErrorCode::invalid_argument,
                  std::string(option.first) + " '" + *option.second + "': " + field.detail);
    }
  }
  return fail(ErrorCode::invalid_argument, "--higher-is-better: " + field.detail);
}

// "REL" or "REL,ABS".
Result<Tolerance> read_tolerance(const std::string& text) {
  Tolerance tolerance;
  double* const bounds[] = {&tolerance.relative, &tolerance.absolute};
  const std::vector<std::string_view> parts = split(text, ',');
  bool good = parts.size() <= std::size(bounds);
  for (std::size_t i = 0; good && i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    const auto [stopped, problem] =
        std::from_chars(part.data(), part.data() + part.size(), *bounds[i]);
    good = problem == std::errc() && stopped == part.data() + part.size() && *bounds[i] >= 0 &&
           std::isfinite(*bounds[i]);
  }
  if (!good || tolerance.relative > 0.5) {
    return fail(ErrorCode::invalid_argument,
                "--tolerance " + text +
                    ": RELATIVE or RELATIVE,ABSOLUTE, as in 1e-9 or 0,1e-6; relative at most 0.5");
  }
  return tolerance;
}

Result<void> check_compared(BenchOptions& options) {
  if (!options.tolerance.empty()) {
    HONE_TRY(options.allowed, read_tolerance(options.tolerance));
  }
  ComparedOutputs& compared = options.bench.compared;
  compared.whole = options.allowed.has_value();
  for (const std::string& file : compared.files) {
    if (!is_safe_relative_path(file)) {
      return fail(ErrorCode::invalid_argument,
                  "--output " + file + ": a path or glob below this folder, without \"..\"");
    }
  }
  if (options.allowed && options.any_output && !compared.standard_error && compared.files.empty()) {
    return fail(ErrorCode::invalid_argument, "--tolerance: no output is compared");
  }
  return {};
}

}  // namespace

BenchmarkSpec benchmark_of(const BenchOptions& options) {
  BenchmarkSpec benchmark;
  benchmark.metric = options.bench.metric;
  benchmark.compare_output = !options.any_output;
  benchmark.compare_stderr = options.bench.compared.standard_error;
  benchmark.outputs = options.bench.compared.files;
  benchmark.tolerance = options.allowed;
  for (const std::string& arguments : options.bench.checks) {
    CheckSpec check;
    check.name = arguments;
    check.compare_output = benchmark.compare_output;
    benchmark.checks.push_back(std::move(check));
  }
  return benchmark;
}

Result<void> check_bench(BenchOptions& options) {
  Result<MetricSpec> metric = parse_metric_spec(metric_document(options));
  if (!metric) {
    return as_options(options.metric, metric.error());
  }
  if (is_of_build(metric->metric)) {
    return fail(ErrorCode::invalid_argument,
                "--metric compile_time: of a target's builds only, which a worker makes. Here, "
                "measure the compile itself: hone bench --baseline 'clang-19 -O3 -c x.c -o "
                "/dev/null' --candidate ... (CPU time)");
  }
  options.bench.metric = *std::move(metric);
  HONE_CHECK(check_compared(options));
  for (const std::string& name : options.exports) {
    if (name != "json" && !ends_with_one_of(name)) {
      return fail(ErrorCode::invalid_argument,
                  "--export " + name +
                      ": json (to standard output), or a file that ends in .json, .csv or .svg");
    }
    const std::string folder = std::filesystem::path(name).parent_path().string();
    if (name != "json" && ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
      return fail(ErrorCode::invalid_argument,
                  "--export " + name + ": its folder is not there or cannot be written to");
    }
  }
  for (const std::string& variable : options.bench.environment) {
    const std::size_t equals = variable.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return fail(ErrorCode::invalid_argument, "--env " + variable + ": NAME=VALUE");
    }
  }
  return {};
}

void add_bench_options(CLI::App& command, BenchOptions& options) {
  options.seed = std::random_device{}();
  command
      .add_option("--baseline", options.bench.baseline,
                  "Its command line; no shell reads it, it runs in this folder")
      ->required();
  command
      .add_option("--candidate", options.bench.candidates,
                  "Likewise; repeatable: a race finds the best one, which is then compared")
      ->required()
      ->allow_extra_args(false);
  MetricOptions& metric = options.metric;
  command.add_option("--metric", metric.name,
                     std::string(kMetricChoices) +
                         " (the last of targets alone) [printed if one of the next three is given, "
                         "else cpu_time]");
  command.add_option("--pattern", metric.pattern,
                     "The number is group 1 of this regular expression");
  command.add_option("--json-pointer", metric.json,
                     "The output is one JSON document, the number stands there: /results/0/mean");
  command.add_option("--format", metric.format,
                     "The output is a report: google_benchmark, hyperfine or bmf");
  command.add_option("--benchmark", metric.benchmark,
                     "Of the report: this benchmark, not the geometric mean of all");
  command.add_option("--field", metric.field,
                     "Of the report: this number [cpu_time, mean or latency]");
  command.add_flag("--higher-is-better", metric.higher_is_better,
                   "With the metric printed: throughput, not time");
  command
      .add_option("--links", options.bench.links,
                  "Each command holds {link}: a number from 0 to this less one, drawn for each "
                  "run, names one of several links of the same objects")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command.add_option("--pairs", options.most_pairs, "Pairs of runs at most")
      ->check(CLI::Range(12, 192))
      ->capture_default_str();
  command
      .add_option("--noise-floor", options.noise_floor_percent,
                  "Percent of difference that is worth acting on")
      ->check(CLI::Range(0.1, 50.0))
      ->capture_default_str();
  command.add_option("--time-limit", options.time_limit, "Seconds of one run")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command.add_option("--env", options.bench.environment,
                     "NAME=VALUE for the programs, which get nothing of this environment but PATH");
  command.add_flag("--any-output", options.any_output,
                   "Their standard outputs may differ, from run to run as well");
  command.add_flag("--compare-stderr", options.bench.compared.standard_error,
                   "Their standard errors may not");
  command
      .add_option("--output", options.bench.compared.files,
                  "A file that they write below this folder, or a glob: compared, and removed "
                  "after each run; repeatable")
      ->allow_extra_args(false);
  command.add_option("--tolerance", options.tolerance,
                     "RELATIVE[,ABSOLUTE]: numbers in outputs may differ by as much [exact]");
  command
      .add_option("--check", options.bench.checks,
                  "Each program once more with these arguments for its own (one text), compared "
                  "but not timed; repeatable")
      ->allow_extra_args(false);
  command.add_option("--seed", options.seed, "Of the order of runs [random]")
      ->check(CLI::Range(std::int64_t{0}, kMaxExactInteger));
  command.add_option(
      "--export", options.exports,
      "json: to standard output; or a file ending in .json, .csv or .svg; repeatable");
}

}  // namespace hone
