#include "common/search/synergy_graph.h"

#include <algorithm>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/object_reader.h"
#include "common/pipelines/action_table.h"

namespace hone {
namespace {

constexpr std::string_view kFormat = "hone-synergy/1";
constexpr std::size_t kMaxPrograms = 10'000;
constexpr std::size_t kMaxName = 128;

// Names by which passes of a major are known: those of the table, and default<O1> to default<Oz>.
std::set<std::string, std::less<>> names_of(int llvm_major) {
  std::set<std::string, std::less<>> names;
  for (const PassEntry& entry : pass_table()) {
    if (entry.majors.holds(llvm_major)) {
      names.emplace(entry.name);
    }
  }
  for (const char* const level : {"O1", "O2", "O3", "Os", "Oz"}) {
    names.insert(std::string("default<") + level + ">");
  }
  return names;
}

class GraphReader {
 public:
  explicit GraphReader(SynergyGraph& graph) : graph_(graph), names_(names_of(graph.llvm_major)) {}

  void read(ObjectReader& reader) {
    reader.each("passes", kMaxSynergyPasses, [&](ObjectReader& item) {
      graph_.passes.push_back({name(item, "pass"), gain(item), programs(item)});
    });
    if (graph_.passes.empty()) {
      reader.refuse("passes", "must have at least one");
    }
    reader.each("edges", kMaxSynergyEdges, [&](ObjectReader& item) {
      SynergyEdge edge;
      // At the beginning there is nothing before.
      edge.before = item.has("before") ? name(item, "before") : std::string();
      edge.pass = name(item, "pass");
      edge.gain = gain(item);
      edge.programs = programs(item);
      graph_.edges.push_back(std::move(edge));
    });
  }

 private:
  std::string name(ObjectReader& item, std::string_view key) const {
    std::string text = item.text(key, {.max_size = kMaxName});
    if (!text.empty() && !names_.contains(text)) {
      item.refuse(key, "\"" + text + "\" is no pass of LLVM " + std::to_string(graph_.llvm_major));
    }
    return text;
  }
  static double gain(ObjectReader& item) { return item.number("gain", 0, kMostPassGain); }
  static std::size_t programs(ObjectReader& item) {
    return static_cast<std::size_t>(
        item.integer("programs", 1, static_cast<std::int64_t>(kMaxPrograms)));
  }

  SynergyGraph& graph_;
  std::set<std::string, std::less<>> names_;
};

void read_card(ObjectReader& reader, SynergyCard& card) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  card.made_at = reader.text("made_at");
  card.made_by = reader.text("made_by");
  card.seed = static_cast<std::uint64_t>(reader.integer("seed", 0, kMost));
  card.cpu_seconds = reader.number("cpu_seconds", 0, 1e12);
  card.tries = static_cast<std::uint64_t>(reader.integer("tries", 0, kMost));
  card.programs = reader.text_list("programs", kMaxPrograms);
  if (card.programs.empty()) {
    reader.refuse("programs", "must name what it was trained on");
  }
}

}  // namespace

std::shared_ptr<const SuccessorWeights> SynergyGraph::weights() const {
  auto weights = std::make_shared<SuccessorWeights>();
  for (const SynergyPass& one : passes) {
    weights->set(one.pass, one.gain);
  }
  for (const SynergyEdge& edge : edges) {
    weights->set(edge.before, edge.pass, edge.gain);
  }
  return weights;
}

Result<SynergyGraph> synergy_graph_from_json(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  SynergyGraph graph;
  if (reader.text("format") != kFormat) {
    reader.refuse("format", "must be \"" + std::string(kFormat) + "\"");
  }
  graph.cost = reader.text("cost");
  graph.llvm_major = static_cast<int>(reader.integer("llvm_major", 1, 1000));
  if (!has_pass_table(graph.llvm_major)) {
    reader.refuse("llvm_major", "has no table of passes");
  }
  GraphReader(graph).read(reader);
  reader.object("card", [&](ObjectReader& card) { read_card(card, graph.card); });
  reader.finish();
  if (auto error = problems.as_error("synergy graph")) {
    return *std::move(error);
  }
  return graph;
}

Json to_json(const SynergyGraph& graph) {
  Json passes = Json::array();
  for (const SynergyPass& one : graph.passes) {
    passes.push_back({{"pass", one.pass}, {"gain", one.gain}, {"programs", one.programs}});
  }
  Json edges = Json::array();
  for (const SynergyEdge& edge : graph.edges) {
    Json item = {{"pass", edge.pass}, {"gain", edge.gain}, {"programs", edge.programs}};
    if (!edge.before.empty()) {
      item["before"] = edge.before;
    }
    edges.push_back(std::move(item));
  }
  return {{"format", kFormat},
          {"cost", graph.cost},
          {"llvm_major", graph.llvm_major},
          {"passes", std::move(passes)},
          {"edges", std::move(edges)},
          {"card",
           {{"made_at", graph.card.made_at},
            {"made_by", graph.card.made_by},
            {"seed", graph.card.seed},
            {"cpu_seconds", graph.card.cpu_seconds},
            {"tries", graph.card.tries},
            {"programs", graph.card.programs}}}};
}

std::string to_text(const SynergyGraph& graph) {
  const Json document = to_json(graph);
  std::string text = "{";
  for (const auto& [key, value] : document.items()) {
    text += (text.size() == 1 ? "\n" : ",\n") + dump_json(key) + ": ";
    if (!value.is_array()) {
      text += value.is_object() ? value.dump(1) : dump_json(value);
      continue;
    }
    std::string separator = "[\n";
    for (const Json& item : value) {
      text += separator + dump_json(item);
      separator = ",\n";
    }
    text += value.empty() ? "[]" : "]";
  }
  return text + "\n}\n";
}

Result<SynergyGraph> read_synergy_graph(const std::filesystem::path& file) {
  HONE_TRY(const std::string text, read_file(file, kMaxSynergyBytes));
  const Result<Json> document = parse_json(text);
  if (!document) {
    return document.error().within(file.string());
  }
  Result<SynergyGraph> graph = synergy_graph_from_json(*document);
  if (!graph) {
    return graph.error().within(file.string());
  }
  return graph;
}

}  // namespace hone
