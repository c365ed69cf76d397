// The files that make up a build's result, and whether two results are the same. Thread safe.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"

namespace hone {

// Hash, size and size of the code of each file, in the given order. not_found naming the one that
// the build did not make; io_failed; cancelled after a stop.
Result<std::vector<BinaryInfo>> describe_binaries(const std::filesystem::path& build,
                                                  const std::vector<std::string>& files,
                                                  const std::stop_token& stop = {});

// Their size all together, as metric text_bytes or binary_bytes has it. invalid_argument if there
// is none: no files, or none with code.
Result<double> total_size(const std::vector<BinaryInfo>& binaries, Metric metric);

// One hash over all names and contents: equal for equal results. Empty for no files, since then
// nothing is known.
std::string binaries_key(const std::vector<BinaryInfo>& binaries);

}  // namespace hone
