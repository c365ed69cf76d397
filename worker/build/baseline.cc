#include "worker/build/baseline.h"

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/object_reader.h"
#include "worker/build/binaries.h"

namespace hone {
namespace {

constexpr std::size_t kMaxFile = std::size_t{256} << 20U;

}  // namespace

Result<void> write_baseline(const std::filesystem::path& file, const Baseline& baseline) {
  Json binaries = Json::array();
  for (const BinaryInfo& binary : baseline.binaries) {
    binaries.push_back({{"path", binary.path}, {"sha256", binary.sha256}});
  }
  const Json document = {{"binaries", binaries},
                         {"sources", baseline.sources},
                         {"outputs", baseline.outputs},
                         {"state_ids", baseline.state_ids}};
  return write_file_atomically(file, dump_json(document));
}

Result<Baseline> read_baseline(const std::filesystem::path& file,
                               const std::filesystem::path& build,
                               const std::vector<std::string>& binaries,
                               const std::stop_token& stop) {
  HONE_TRY(const std::string text, read_file(file, kMaxFile));
  HONE_TRY(const Json document, parse_json(text, {.bytes = kMaxFile}));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  constexpr TextLimits kName{.min_size = 0, .max_size = 8192};
  std::map<std::string, std::string> hashes;
  reader.each("binaries", kMaxDecisions, [&](ObjectReader& item) {
    const std::string path = item.text("path");
    hashes[path] = item.text("sha256");
  });
  Baseline baseline;
  for (std::string& name : reader.text_list("sources", kMaxDecisions, kName)) {
    baseline.sources.insert(std::move(name));
  }
  for (std::string& name : reader.text_list("outputs", kMaxDecisions, kName)) {
    baseline.outputs.insert(std::move(name));
  }
  if (const Json* ids = reader.find("state_ids"); ids != nullptr && ids->is_object()) {
    for (const auto& [output, id] : ids->items()) {
      if (id.is_string()) {
        baseline.state_ids[output] = id.get<std::string>();
      }
    }
  }
  if (const std::optional<Error> error = problems.as_error("baseline.json")) {
    return *error;
  }
  HONE_TRY(baseline.binaries, describe_binaries(build, binaries, stop));
  for (const BinaryInfo& binary : baseline.binaries) {
    if (hashes[binary.path] != binary.sha256) {
      return fail(ErrorCode::conflict, "the baseline's " + binary.path + " has changed");
    }
  }
  return baseline;
}

}  // namespace hone
