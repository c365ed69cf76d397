// A trained model in a file, with what must be known of it to be believed, and to be used.
//
// The first line is a JSON document, what follows are its parts, one behind the other:
//   {"format": "hone-model/1", "kind": "trees",
//    "features": {"version": 1, "names": ["InstCount.0", ...]},
//    "data": {"rows": 1204, "first": "...", "last": "...", "source": "rows.ndjson",
//             "programs": ["benchmark://debian-v0/lz4/lib/lz4.c", ...]},
//    "made_by": "hone-learner 0.1.0", "made_at": "...", "seed": 1, "cost": "IrInstructionCount",
//    "metrics": {"rmse": 0.02}, "settings": {...},
//    "parts": [{"name": "booster-0", "bytes": 51234}, ...], "hash": "..."}
// The hash (XXH3-128 of the parts) finds a file that was cut or spoiled, not one that was forged:
// a model of trees is read by XGBoost, so load files that you trust. Plain values. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>  // held by value below

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

enum class ModelKind : std::uint8_t { trees, bandit, ppo };
std::string_view to_string(ModelKind kind);
std::optional<ModelKind> parse_model_kind(std::string_view text);
extern const std::string_view kModelKindChoices;

// What it was trained on. `first` and `last` are the ids (or numbers) of its first and last row.
struct ModelData {
  std::uint64_t rows = 0;
  std::string first;
  std::string last;
  std::string source;                 // a file's name, or "sessions"
  std::vector<std::string> programs;  // URIs, where they are known
};

struct ModelPart {
  std::string name;
  std::string bytes;
};

struct Model {
  ModelKind kind = ModelKind::trees;
  int feature_version = 0;            // of what the names mean
  std::vector<std::string> features;  // in the order in which they are given to it
  ModelData data;
  std::string made_by;
  std::string made_at;  // RFC 3339
  std::uint64_t seed = 1;
  std::string cost;  // "IrInstructionCount"; empty: that of the rows
  std::map<std::string, double> metrics;
  Json settings = Json::object();  // the kind's own
  std::vector<ModelPart> parts;

  // not_found names the part.
  Result<std::string_view> part(std::string_view name) const;
};

// The limits that a file is held against.
inline constexpr std::size_t kMaxModelBytes = std::size_t{1} << 30U;
inline constexpr std::size_t kMaxModelHeader = std::size_t{8} << 20U;
inline constexpr std::size_t kMaxModelFeatures = 16'384;
inline constexpr std::size_t kMaxModelParts = 1'024;

std::string to_bytes(const Model& model);
// invalid_argument names every field that is wrong; unsupported for another format.
Result<Model> model_from_bytes(std::string_view bytes);

Result<void> write_model(const std::filesystem::path& file, const Model& model);
// The same with the file's name; not_found, too_large; conflict if it is of another kind.
Result<Model> read_model(const std::filesystem::path& file, ModelKind kind);

// Doubles as a part's bytes, little endian. invalid_argument if they are no whole number of finite
// ones.
std::string doubles_to_bytes(std::span<const double> numbers);
Result<std::vector<double>> doubles_from_bytes(std::string_view bytes);

}  // namespace hone
