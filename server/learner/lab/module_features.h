// A program's features as a session sees them: of its module, before any pass. Not thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct ModuleFeaturesSettings {
  std::filesystem::path sessions;  // the program hone-session; empty: the one beside us
  std::string ir2vec;              // file of IR2Vec's vocabulary; empty: without its embedding
};

// program_features(), and ir2vec_features() behind them. Errors of the session: of a vocabulary
// that is none, too.
Result<std::vector<double>> module_features(const std::string& file,
                                            const ModuleFeaturesSettings& settings);

}  // namespace hone
