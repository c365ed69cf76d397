#include "worker/build/binaries.h"

#include "common/base/sha256.h"
#include "worker/artifacts/folders.h"
#include "worker/build/elf_sections.h"

namespace hone {

namespace fs = std::filesystem;

Result<std::vector<BinaryInfo>> describe_binaries(const fs::path& build,
                                                  const std::vector<std::string>& files) {
  std::vector<BinaryInfo> list;
  for (const std::string& name : files) {
    const Result<UniqueFd> opened = open_job_file(build, name);
    if (!opened) {
      return fail(ErrorCode::not_found, "the build made no file '" + name + "' (build.binaries)");
    }
    const fs::path file = path_of(*opened);
    BinaryInfo info;
    info.path = name;
    HONE_TRY(info.sha256, sha256_file(file));
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
