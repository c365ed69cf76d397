#include "common/search/portfolio.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/object_reader.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"

namespace hone {
namespace {

constexpr std::string_view kFormat = "hone-portfolio/1";
constexpr std::size_t kMaxPipelines = 512;
constexpr std::size_t kMaxPrograms = 10'000;
constexpr double kMaxGain = 10;

void read_member(ObjectReader& reader, int llvm_major, Portfolio& portfolio) {
  PortfolioMember member;
  member.pipelines = reader.text_list("pipelines", kMaxPipelines, {.max_size = kMaxPipelineBytes});
  member.gain = reader.optional_number("gain", -kMaxGain, kMaxGain).value_or(0);
  if (member.pipelines.empty()) {
    reader.refuse("pipelines", "must have at least one pipeline");
  }
  for (const std::string& pipeline : member.pipelines) {
    const Result<Forest> forest = parse_pipeline(pipeline);
    const Result<void> allowed =
        forest ? check_pipeline(*forest, llvm_major) : Result<void>(forest.error());
    if (!allowed) {
      reader.refuse("pipelines", "\"" + pipeline + "\": " + allowed.error().message);
    }
  }
  portfolio.members.push_back(std::move(member));
}

void read_card(ObjectReader& reader, PortfolioCard& card) {
  card.made_at = reader.text("made_at");
  card.made_by = reader.text("made_by");
  card.seed = static_cast<std::uint64_t>(
      reader.integer("seed", 0, std::numeric_limits<std::int64_t>::max()));
  card.cpu_seconds = reader.number("cpu_seconds", 0, 1e12);
  reader.each("programs", kMaxPrograms, [&](ObjectReader& program) {
    card.programs.push_back(
        {program.text("uri"), program.optional_number("gain", -kMaxGain, kMaxGain).value_or(0)});
  });
}

}  // namespace

std::vector<Sequence> Portfolio::sequences() const {
  std::vector<Sequence> sequences;
  sequences.reserve(members.size());
  for (const PortfolioMember& member : members) {
    sequences.push_back(member.pipelines);
  }
  return sequences;
}

Result<Portfolio> portfolio_from_json(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  Portfolio portfolio;
  if (reader.text("format") != kFormat) {
    reader.refuse("format", "must be \"" + std::string(kFormat) + "\"");
  }
  portfolio.cost = reader.text("cost");
  portfolio.llvm_major = static_cast<int>(reader.integer("llvm_major", 1, 1000));
  reader.each("members", kMaxPortfolioMembers,
              [&](ObjectReader& member) { read_member(member, portfolio.llvm_major, portfolio); });
  if (portfolio.members.empty()) {
    reader.refuse("members", "must have at least one");
  }
  reader.object("card", [&](ObjectReader& card) { read_card(card, portfolio.card); });
  reader.finish();
  if (auto error = problems.as_error("portfolio")) {
    return *std::move(error);
  }
  return portfolio;
}

Json to_json(const Portfolio& portfolio) {
  Json members = Json::array();
  for (const PortfolioMember& member : portfolio.members) {
    members.push_back({{"pipelines", member.pipelines}, {"gain", member.gain}});
  }
  Json programs = Json::array();
  for (const PortfolioProgram& program : portfolio.card.programs) {
    programs.push_back({{"uri", program.uri}, {"gain", program.gain}});
  }
  return {{"format", kFormat},
          {"cost", portfolio.cost},
          {"llvm_major", portfolio.llvm_major},
          {"members", std::move(members)},
          {"card",
           {{"made_at", portfolio.card.made_at},
            {"made_by", portfolio.card.made_by},
            {"seed", portfolio.card.seed},
            {"cpu_seconds", portfolio.card.cpu_seconds},
            {"programs", std::move(programs)}}}};
}

Result<Portfolio> read_portfolio(const std::filesystem::path& file) {
  HONE_TRY(const std::string text, read_file(file, kMaxPortfolioBytes));
  const Result<Json> document = parse_json(text);
  if (!document) {
    return document.error().within(file.string());
  }
  Result<Portfolio> portfolio = portfolio_from_json(*document);
  if (!portfolio) {
    return portfolio.error().within(file.string());
  }
  return portfolio;
}

}  // namespace hone
