// A target: a product, how to build it and how to benchmark it. What hone.yaml holds; each larger
// part of it has a header of its own. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/json/object_reader.h"
#include "common/protocol/benchmark_spec.h"
#include "common/protocol/build_spec.h"
#include "common/protocol/commands.h"
#include "common/protocol/names.h"
#include "common/protocol/requirements.h"

namespace hone {

struct GitSource {
  std::string url;     // https:// or file:/// or an absolute path; never an option
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

// Reads the fields of `reader`'s object; problems are noted there. Strict when the reader is.
TargetSpec read_target_spec(ObjectReader& reader);
// A whole document. `unknown` is refuse for what people write, ignore between our programs.
Result<TargetSpec> parse_target_spec(const Json& document, UnknownKeys unknown);
Json to_json(const TargetSpec& spec);

}  // namespace hone
