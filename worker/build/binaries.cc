#include "worker/build/binaries.h"

#include "common/base/sha256.h"
#include "staging/runner/elf_sections.h"
#include "worker/artifacts/folders.h"

namespace hone {

namespace fs = std::filesystem;

Result<std::vector<BinaryInfo>> describe_binaries(const fs::path& build,
                                                  const std::vector<std::string>& files,
                                                  const std::stop_token& stop) {
  std::vector<BinaryInfo> list;
  for (const std::string& name : files) {
    const Result<UniqueFd> opened = open_job_file(build, name);
    if (!opened) {
      return fail(ErrorCode::not_found, "the build made no file '" + name + "' (build.binaries)");
    }
    const fs::path file = path_of(*opened);
    BinaryInfo info;
    info.path = name;
    HONE_TRY(info.sha256, sha256_file(file, stop));
    std::error_code error;
    info.size_bytes = static_cast<std::int64_t>(fs::file_size(file, error));
    if (error) {
      return system_error("cannot read '" + name + "'", error.value());
    }
    info.text_bytes = text_bytes(file);
    list.push_back(std::move(info));
  }
  return list;
}

Result<double> total_size(const std::vector<BinaryInfo>& binaries, Metric metric) {
  std::int64_t bytes = 0;
  for (const BinaryInfo& binary : binaries) {
    bytes += metric == Metric::text_bytes ? binary.text_bytes : binary.size_bytes;
  }
  if (bytes == 0) {
    return fail(
        ErrorCode::invalid_argument,
        "metric " + std::string(to_string(metric)) + " is the size of build.binaries, " +
            (binaries.empty()               ? "and the target names none"
             : metric == Metric::text_bytes ? "and none of them is a 64-bit ELF file with code"
                                            : "and all of them are empty"));
  }
  return static_cast<double>(bytes);
}

std::string binaries_key(const std::vector<BinaryInfo>& binaries) {
  if (binaries.empty()) {
    return {};
  }
  Sha256 hash;
  for (const BinaryInfo& binary : binaries) {
    hash.update(binary.path + '\0' + binary.sha256 + '\n');
  }
  return hash.finish();
}

}  // namespace hone
