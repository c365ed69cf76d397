#include "server/learner/models/model_file.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/json/object_reader.h"

namespace hone {

static_assert(std::endian::native == std::endian::little,
              "parts are written as they lie in memory");

const std::string_view kModelKindChoices = "trees, bandit, ppo";

namespace {

constexpr std::string_view kFormat = "hone-model/1";
constexpr std::size_t kMaxPrograms = 100'000;
constexpr double kHuge = 1e300;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

struct PartSize {
  std::string name;
  std::size_t bytes = 0;
};

void read_data(ObjectReader& reader, ModelData& data) {
  data.rows = static_cast<std::uint64_t>(reader.integer("rows", 0, kMost));
  data.first = reader.text("first", {.min_size = 0});
  data.last = reader.text("last", {.min_size = 0});
  data.source = reader.text("source");
  data.programs = reader.text_list("programs", kMaxPrograms);
}

void read_metrics(ObjectReader& reader, const Json& document, Model& model) {
  const auto metrics = document.find("metrics");
  if (metrics == document.end() || !metrics->is_object()) {
    return;  // required and looked at by the reader
  }
  for (const auto& [name, value] : metrics->items()) {
    model.metrics[name] = reader.number(name, -kHuge, kHuge);
  }
}

// Everything but the parts' bytes.
Result<void> read_header(const Json& document, Model& model, std::vector<PartSize>& parts,
                         std::string& hash) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  reader.text("format");  // looked at before
  model.kind = reader.one_of<ModelKind>("kind", parse_model_kind, kModelKindChoices);
  reader.object("features", [&](ObjectReader& features) {
    model.feature_version = static_cast<int>(features.integer("version", 0, 1'000'000));
    model.features = features.text_list("names", kMaxModelFeatures);
  });
  reader.object("data", [&](ObjectReader& data) { read_data(data, model.data); });
  model.made_by = reader.text("made_by");
  model.made_at = reader.text("made_at");
  model.seed = static_cast<std::uint64_t>(reader.integer("seed", 0, kMost));
  model.cost = reader.text("cost", {.min_size = 0});
  reader.object("metrics", [&](ObjectReader& metrics) { read_metrics(metrics, document, model); });
  if (const Json* const settings = reader.require("settings")) {
    if (settings->is_object()) {
      model.settings = *settings;
    } else {
      reader.refuse("settings", "must be an object");
    }
  }
  reader.each("parts", kMaxModelParts, [&](ObjectReader& part) {
    PartSize& made = parts.emplace_back();
    made.name = part.text("name");
    made.bytes = static_cast<std::size_t>(
        part.integer("bytes", 0, static_cast<std::int64_t>(kMaxModelBytes)));
  });
  hash = reader.text("hash");
  reader.finish();
  if (auto error = problems.as_error("model")) {
    return *std::move(error);
  }
  return {};
}

std::string hash_of(std::string_view parts) {
  return to_hex(hash128(parts));
}

}  // namespace

std::string_view to_string(ModelKind kind) {
  switch (kind) {
    case ModelKind::trees:
      return "trees";
    case ModelKind::bandit:
      return "bandit";
    case ModelKind::ppo:
      return "ppo";
  }
  return "";
}

std::optional<ModelKind> parse_model_kind(std::string_view text) {
  for (const ModelKind kind : {ModelKind::trees, ModelKind::bandit, ModelKind::ppo}) {
    if (text == to_string(kind)) {
      return kind;
    }
  }
  return std::nullopt;
}

Result<std::string_view> Model::part(std::string_view name) const {
  for (const ModelPart& part : parts) {
    if (part.name == name) {
      return std::string_view(part.bytes);
    }
  }
  return fail(ErrorCode::not_found, "the model has no part '" + std::string(name) + "'");
}

std::string to_bytes(const Model& model) {
  std::string bytes;
  Json parts = Json::array();
  for (const ModelPart& part : model.parts) {
    parts.push_back({{"name", part.name}, {"bytes", part.bytes.size()}});
    bytes += part.bytes;
  }
  const Json header = {
      {"format", kFormat},
      {"kind", to_string(model.kind)},
      {"features", {{"version", model.feature_version}, {"names", model.features}}},
      {"data",
       {{"rows", model.data.rows},
        {"first", model.data.first},
        {"last", model.data.last},
        {"source", model.data.source},
        {"programs", model.data.programs}}},
      {"made_by", model.made_by},
      {"made_at", model.made_at},
      {"seed", model.seed},
      {"cost", model.cost},
      {"metrics", model.metrics},
      {"settings", model.settings},
      {"parts", std::move(parts)},
      {"hash", hash_of(bytes)}};
  return dump_json(header) + "\n" + bytes;
}

Result<Model> model_from_bytes(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, kMaxModelHeader).find('\n');
  if (end == std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                "no model: its first line must be a JSON document of at most 8 MiB");
  }
  HONE_TRY(const Json document, parse_json(bytes.substr(0, end)));
  const auto format = document.is_object() ? document.find("format") : document.end();
  if (!document.is_object() || format == document.end() || *format != kFormat) {
    return fail(ErrorCode::unsupported, "no model of format \"" + std::string(kFormat) + "\"");
  }
  Model model;
  std::vector<PartSize> sizes;
  std::string hash;
  HONE_CHECK(read_header(document, model, sizes, hash));
  std::string_view rest = bytes.substr(end + 1);
  const bool intact = hash_of(rest) == hash;
  for (const PartSize& part : sizes) {
    if (part.bytes > rest.size()) {
      return fail(ErrorCode::invalid_argument,
                  "the model is cut short in part '" + part.name + "'");
    }
    model.parts.push_back({part.name, std::string(rest.substr(0, part.bytes))});
    rest.remove_prefix(part.bytes);
  }
  if (!rest.empty() || !intact) {
    return fail(ErrorCode::invalid_argument,
                rest.empty() ? "the model's parts are spoiled: their hash is another one"
                             : "the model has " + std::to_string(rest.size()) +
                                   " bytes behind its last part");
  }
  return model;
}

Result<void> write_model(const std::filesystem::path& file, const Model& model) {
  return write_file_atomically(file, to_bytes(model));
}

Result<Model> read_model(const std::filesystem::path& file, ModelKind kind) {
  HONE_TRY(const std::string bytes, read_file(file, kMaxModelBytes));
  Result<Model> model = model_from_bytes(bytes);
  if (!model) {
    return model.error().within(file.string());
  }
  if (model->kind != kind) {
    return fail(ErrorCode::conflict, file.string() + ": a model of kind '" +
                                         std::string(to_string(model->kind)) + "', not '" +
                                         std::string(to_string(kind)) + "'");
  }
  return model;
}

std::string doubles_to_bytes(std::span<const double> numbers) {
  std::string bytes(numbers.size_bytes(), '\0');
  if (!numbers.empty()) {
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
  }
  return bytes;
}

Result<std::vector<double>> doubles_from_bytes(std::string_view bytes) {
  if (bytes.size() % sizeof(double) != 0) {
    return fail(ErrorCode::invalid_argument,
                std::to_string(bytes.size()) + " bytes are no whole number of doubles");
  }
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
  }
  for (const double number : numbers) {
    if (!std::isfinite(number)) {
      return fail(ErrorCode::invalid_argument, "a number of the model is not finite");
    }
  }
  return numbers;
}

}  // namespace hone
