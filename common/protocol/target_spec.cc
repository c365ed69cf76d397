#include "common/protocol/target_spec.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr std::size_t kMaxGlobs = 1000;

// Why git would make nothing good of a URL that looks like one; "" if there is no reason.
std::string_view fault_of(std::string_view url) {
  static constexpr std::string_view kSecure = "https://";
  if (std::ranges::any_of(url, [](unsigned char c) { return c <= 0x20 || c == 0x7f; })) {
    return "must not hold blanks, line breaks or other control characters";
  }
  if (url.starts_with(kSecure)) {
    const std::string_view authority =
        url.substr(kSecure.size(), url.find('/', kSecure.size()) - kSecure.size());
    const std::string_view place = authority.substr(authority.rfind('@') + 1);
    if (place.empty() || place.starts_with(':')) {
      return "must name a host after https://";
    }
  }
  return "";
}

GitSource read_git(ObjectReader& reader) {
  GitSource git;
  git.url = reader.text("url", {.max_size = 2048});
  const bool known_form = git.url.starts_with("https://") || git.url.starts_with("file:///") ||
                          git.url.starts_with('/');
  if (!git.url.empty() && !known_form) {
    reader.refuse("url", "must be an https:// or file:/// URL or an absolute path");
  } else if (reader.unknown_keys() == UnknownKeys::refuse) {
    // Only of what is registered now: what earlier releases took stays readable.
    if (const std::string_view fault = fault_of(git.url); !fault.empty()) {
      reader.refuse("url", std::string(fault));
    }
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

}  // namespace

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

}  // namespace hone
