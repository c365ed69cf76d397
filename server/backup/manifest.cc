#include "server/backup/manifest.h"

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr std::string_view kFormat = "hone-backup/1";
constexpr std::int64_t kMost = std::int64_t{1} << 53U;

BackupManifest read_manifest(ObjectReader& reader) {
  BackupManifest manifest;
  reader.text("format");
  manifest.hone_version = reader.text("hone_version", {.max_size = 64});
  manifest.created_at = reader.text("created_at", {.max_size = 64});
  manifest.server_version = reader.text("postgresql", {.max_size = 64});
  reader.each("migrations", 10'000, [&](ObjectReader& entry) {
    manifest.migrations.push_back({entry.text("name"), entry.text("sha256")});
  });
  reader.object("rows", [&](ObjectReader& rows) {
    for (const char* table : {"targets", "target_versions", "tokens", "campaigns", "policies",
                              "jobs", "results", "experiences"}) {
      manifest.rows[table] = rows.integer(table, 0, kMost);
    }
  });
  reader.each("files", 10'000'000, [&](ObjectReader& entry) {
    BackupFile file;
    file.name = entry.text("name");
    file.bytes = entry.integer("bytes", 0, kMost);
    file.sha256 = entry.text("sha256");
    if (!is_sha256_hex(file.sha256)) {
      entry.refuse("sha256", "is no SHA-256");
    }
    manifest.files.push_back(std::move(file));
  });
  return manifest;
}

}  // namespace

std::string artifact_name(std::string_view sha256) {
  return std::string(kArtifactPrefix) + std::string(sha256.substr(0, 2)) + "/" +
         std::string(sha256);
}

Json to_json(const BackupManifest& manifest) {
  Json migrations = Json::array();
  for (const AppliedMigration& migration : manifest.migrations) {
    migrations.push_back({{"name", migration.name}, {"sha256", migration.sha256}});
  }
  Json files = Json::array();
  for (const BackupFile& file : manifest.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  }
  return Json{{"format", kFormat},
              {"hone_version", manifest.hone_version},
              {"created_at", manifest.created_at},
              {"postgresql", manifest.server_version},
              {"migrations", std::move(migrations)},
              {"rows", manifest.rows},
              {"files", std::move(files)}};
}

Result<BackupManifest> parse_manifest(std::string_view text) {
  HONE_TRY(const Json document, parse_json(text, {.bytes = kMaxManifestBytes}));
  const auto format = document.is_object() ? document.find("format") : document.end();
  if (format == document.end() || *format != Json(kFormat)) {
    return fail(ErrorCode::unsupported,
                "its manifest is not of the format " + std::string(kFormat));
  }
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  BackupManifest manifest = read_manifest(reader);
  if (auto error = problems.as_error("manifest of a backup")) {
    return *std::move(error);
  }
  return manifest;
}

}  // namespace hone
