#include "worker/client/result_spool.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxEntry = std::size_t{64} << 20U;

// Ids come from honed; still, none may lead out of the folder.
bool is_file_name(const std::string& text) {
  return !text.empty() && text.size() <= 128 &&
         text.find_first_not_of(
             "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") ==
             std::string::npos;
}

Result<SpooledResult> read_entry(const fs::path& file) {
  HONE_TRY(const std::string text, read_file(file, kMaxEntry));
  HONE_TRY(const Json document, parse_json(text, {.bytes = kMaxEntry}));
  if (!document.is_object() || !document.contains("lease") || !document.contains("result")) {
    return fail(ErrorCode::invalid_argument, "holds no lease and result");
  }
  SpooledResult entry;
  HONE_TRY(entry.lease, parse_lease(document["lease"]));
  HONE_TRY(entry.result, parse_attempt_result(document["result"], UnknownKeys::ignore));
  return entry;
}

}  // namespace

Result<void> ResultSpool::keep(const SpooledResult& entry) {
  if (!is_file_name(entry.lease.attempt)) {
    return fail(ErrorCode::invalid_argument, "attempt '" + entry.lease.attempt + "' is no id");
  }
  const Json document = {{"lease", to_json(entry.lease)}, {"result", to_json(entry.result)}};
  return write_file_atomically(folder_ / (entry.lease.attempt + ".json"), dump_json(document),
                               0600);
}

void ResultSpool::forget(const std::string& attempt) {
  if (is_file_name(attempt)) {
    std::error_code ignored;  // sent again after a restart, and counted once
    fs::remove(folder_ / (attempt + ".json"), ignored);
  }
}

std::vector<SpooledResult> ResultSpool::entries() {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
    std::error_code gone;
    if (file.path().extension() == ".json") {
      files.emplace_back(file.last_write_time(gone), file.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<SpooledResult> list;
  for (const auto& [time, file] : files) {
    Result<SpooledResult> entry = read_entry(file);
    if (entry) {
      list.push_back(*std::move(entry));
    } else {
      log_error("spooled_result_unreadable",
                {{"file", file.string()}, {"why", entry.error().describe()}});
      fs::rename(file, file.string() + ".bad", error);
    }
  }
  return list;
}

}  // namespace hone
