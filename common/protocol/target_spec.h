// A target: a product, how to build it and how to benchmark it. What hone.yaml holds.
//
// Commands are argument lists, never shell text. These words in them are replaced by the worker:
// {source} {build} (absolute folders), {cc} {cxx} (compiler wrapped by launcher and object cache),
// {jobs}, and in benchmark commands {input} (absolute path of the input file). "{{" stands for one
// brace; a brace that starts no {word} of small letters stands for itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/json/object_reader.h"
#include "common/protocol/metric_spec.h"
#include "common/protocol/requirements.h"
#include "common/protocol/values.h"

namespace hone {

using Arguments = std::vector<std::string>;

struct GitSource {
  std::string url;     // https:// or file:// or an absolute path; never an option
  std::string commit;  // 40 hexadecimal digits
  bool operator==(const GitSource&) const = default;
};

// Exactly one of the two is set once the target is registered; a hone.yaml may have neither, since
// `hone target add` uploads the tree it stands in. Both at once are refused.
struct SourceSpec {
  std::string artifact;  // SHA-256 of an uploaded tar archive (.tar, .tar.gz, .tar.zst)
  std::optional<GitSource> git;
  bool operator==(const SourceSpec&) const = default;
};

struct CMakeSpec {
  std::string source = ".";          // folder of CMakeLists.txt, relative to the source
  std::vector<std::string> options;  // further arguments of the configure step (-DNAME=value)
  std::vector<std::string> targets;  // empty: all
  bool operator==(const CMakeSpec&) const = default;
};

struct BuildSpec {
  std::optional<CMakeSpec> cmake;     // run first, when given
  std::vector<Arguments> commands;    // run in order in the build folder, after cmake
  std::vector<std::string> binaries;  // files that make up the result, relative to {build}; hashed
  std::int64_t timeout_seconds = 1800;
  std::int64_t memory_mib = 8192;  // address space of each process
  bool operator==(const BuildSpec&) const = default;
};

struct InputSpec {
  std::string name;
  std::string file;                    // relative to {source}
  std::string expected_output_sha256;  // of standard output; empty: the baseline's output counts
  bool operator==(const InputSpec&) const = default;
};

// How far two numbers may lie apart that count as equal: as far as the larger of both bounds
// allows. Outputs are then compared token by token (staging/verdict/tolerant_text.h).
struct Tolerance {
  double relative = 0;  // of the number that is farther from zero, at most 0.5
  double absolute = 0;
  bool operator==(const Tolerance&) const = default;
};

// A run that is compared like one on an input, but never timed. Either the benchmark's command on
// another file, or a command of its own, a test program of the product for instance; of the latter
// no metric is read.
struct CheckSpec {
  std::string name{};                    // no input and no other check has it
  Arguments command{};                   // empty: the benchmark's
  std::string file{};                    // what {input} stands for, relative to {source}
  std::string expected_output_sha256{};  // as of an input
  // Of its standard output. By default the benchmark's, and true with a command of its own.
  bool compare_output = true;
  bool operator==(const CheckSpec&) const = default;
};

inline constexpr std::int64_t kMaxBenchmarkLinks = 64;

// Candidate and baseline must agree in exit code and in all that is compared, on every input and in
// every check: exactly, or with the tolerance.
struct BenchmarkSpec {
  Arguments command;              // run in an empty folder
  std::vector<InputSpec> inputs;  // empty: one run without {input}
  std::vector<CheckSpec> checks;
  MetricSpec metric;
  bool compare_output = true;   // standard output
  bool compare_stderr = false;  // standard error; many programs print times there
  // Files that it writes: paths relative to the folder it runs in, or globs ('*' also spans '/').
  std::vector<std::string> outputs;
  std::optional<Tolerance> tolerance;  // absent: outputs are equal byte by byte
  // Before a confirmation is measured, both sides are built once more with these and run once on
  // each input and check. Each stands here at most once.
  std::vector<Sanitizer> sanitize;
  // Links of each side's program, one drawn per run, 1 to kMaxBenchmarkLinks; fewer where the build
  // can't make them. Only of a program with which the command begins: {build}/, then one of the
  // build's binaries.
  std::int64_t links = 8;
  std::int64_t timeout_seconds = 60;
  std::int64_t memory_mib = 4096;
  bool operator==(const BenchmarkSpec&) const = default;
};

struct TuneSpec {
  std::vector<std::string> include = {"*"};  // globs over root-relative sources
  std::vector<std::string> exclude;          // win over include; these stay plain
  // A campaign over it that says nothing else is over after so long, at most.
  std::optional<std::int64_t> deadline_seconds;
  bool operator==(const TuneSpec&) const = default;
};

struct TargetSpec {
  std::string name;  // [a-z0-9][a-z0-9._-]{0,62}
  SourceSpec source;
  std::vector<Arguments> fetch;  // declared dependency steps, run in {source} with network
  BuildSpec build;
  BenchmarkSpec benchmark;
  TuneSpec tune;
  Requirements required;  // "requires"
  bool operator==(const TargetSpec&) const = default;
};

// Whether text may name a target (also a campaign's or worker's name): [a-z0-9][a-z0-9._-]{0,62}.
bool is_valid_name(std::string_view text);
// Whether text is a relative path without "..", empty parts or a leading '/'. "." is one.
bool is_safe_relative_path(std::string_view text);

// Reads the fields of `reader`'s object; problems are noted there. Strict when the reader is.
TargetSpec read_target_spec(ObjectReader& reader);
// A whole document. `unknown` is refuse for what people write, ignore between our programs.
Result<TargetSpec> parse_target_spec(const Json& document, UnknownKeys unknown);
Json to_json(const TargetSpec& spec);

// A command with its {words} replaced; invalid_argument naming an unknown {word}. Replaced text is
// not looked at again.
struct Placeholder {
  std::string word;  // with braces
  std::string value;
};
Result<Arguments> expand(const Arguments& command, const std::vector<Placeholder>& words);

}  // namespace hone
