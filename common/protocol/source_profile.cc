#include "common/protocol/source_profile.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr double kLeastHotShare = 0.01;

}  // namespace

Json to_json(const SourceProfile& profile) {
  Json files = Json::array();
  for (const FileShare& file : profile.files) {
    files.push_back(Json{{"source", file.source}, {"share", file.share}});
  }
  return Json{{"why_none", null_if_empty(profile.why_none)}, {"files", std::move(files)}};
}

SourceProfile read_source_profile(ObjectReader& reader) {
  SourceProfile profile;
  profile.why_none = text_or_empty(reader, "why_none");
  reader.each("files", kMaxFileShares, [&profile](ObjectReader& file) {
    profile.files.push_back({file.text("source"), file.number("share", 0, 1)});
  });
  if (profile.why_none.empty() == profile.files.empty()) {
    reader.refuse("files", profile.files.empty() ? "must hold a file, or \"why_none\" say why not"
                                                 : "must be empty beside \"why_none\"");
  }
  std::ranges::sort(profile.files, [](const FileShare& a, const FileShare& b) {
    return std::pair(-a.share, a.source) < std::pair(-b.share, b.source);
  });
  return profile;
}

std::vector<FileShare> hot_files(const SourceProfile& profile, double coverage) {
  const double own =
      std::accumulate(profile.files.begin(), profile.files.end(), 0.0,
                      [](double sum, const FileShare& file) { return sum + file.share; });
  std::vector<FileShare> hot;
  double reached = 0;
  for (const FileShare& file : profile.files) {
    if (file.share < kLeastHotShare || reached >= coverage * own) {
      break;
    }
    reached += file.share;
    hot.push_back(file);
  }
  return hot;
}

}  // namespace hone
