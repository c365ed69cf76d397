#include "worker/client/result_spool.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

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

// The files with one of these endings.
std::vector<fs::path> oldest_first(const fs::path& folder,
                                   std::initializer_list<std::string_view> endings) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    std::error_code gone;
    if (std::ranges::find(endings, file.path().extension().string()) != endings.end()) {
      files.emplace_back(file.last_write_time(gone), file.path());
    }
  }
  std::ranges::sort(files);
  std::vector<fs::path> list;
  for (auto& [time, file] : files) {
    list.push_back(std::move(file));
  }
  return list;
}

}  // namespace

Result<void> ResultSpool::keep(const SpooledResult& entry) {
  if (!is_file_name(entry.lease.attempt)) {
    return fail(ErrorCode::invalid_argument, "attempt '" + entry.lease.attempt + "' is no id");
  }
  const Json document = {{"lease", to_json(entry.lease)}, {"result", to_json(entry.result)}};
  return write_file_atomically(file_of(entry.lease.attempt), dump_json(document), 0600);
}

void ResultSpool::forget(const std::string& attempt) {
  if (is_file_name(attempt)) {
    std::error_code ignored;  // sent again after a restart, and counted once
    fs::remove(file_of(attempt), ignored);
  }
}

std::vector<std::string> ResultSpool::attempts() const {
  std::vector<std::string> list;
  for (const fs::path& file : oldest_first(folder_, {".json"})) {
    list.push_back(file.stem().string());
  }
  return list;
}

Result<SpooledResult> ResultSpool::read(const std::string& attempt) {
  const fs::path file = file_of(attempt);
  Result<SpooledResult> entry = read_entry(file);
  if (!entry) {
    log_error("spooled_result_unreadable",
              {{"file", file.string()}, {"why", entry.error().describe()}});
    std::error_code error;  // then it is met again by the next start
    fs::rename(file, file.string() + ".bad", error);
    remove_oldest_aside();
  }
  return entry;
}

std::vector<SpooledResult> ResultSpool::entries() {
  std::vector<SpooledResult> list;
  for (const std::string& attempt : attempts()) {
    if (Result<SpooledResult> entry = read(attempt)) {
      list.push_back(*std::move(entry));
    }
  }
  return list;
}

Result<fs::path> ResultSpool::set_aside(const std::string& attempt) {
  if (!is_file_name(attempt)) {
    return fail(ErrorCode::invalid_argument, "attempt '" + attempt + "' is no id");
  }
  const fs::path aside = file_of(attempt).string() + ".refused";
  std::error_code error;
  fs::rename(file_of(attempt), aside, error);
  if (error) {
    return system_error("cannot set aside " + file_of(attempt).string(), error.value());
  }
  remove_oldest_aside();
  return aside;
}

void ResultSpool::remove_oldest_aside() const {
  const std::vector<fs::path> aside = oldest_first(folder_, {".bad", ".refused"});
  for (std::size_t i = 0; i + kMostAside < aside.size(); ++i) {
    std::error_code ignored;  // gone, or met again the next time
    fs::remove(aside[i], ignored);
    log_warning("set_aside_result_removed", {{"file", aside[i].string()}});
  }
}

}  // namespace hone
