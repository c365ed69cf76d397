#include "server/learner/zero_shot/members.h"

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/object_reader.h"
#include "common/policy/allow_list.h"

namespace hone {
namespace {

constexpr std::string_view kFormat = "hone-members/1";
constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
constexpr int kMajor = 19;

CandidateMember read_member(ObjectReader& reader) {
  CandidateMember read;
  read.member.pipeline = reader.text("pipeline");
  read.instructions = reader.optional_number("instructions", -1, 1);
  read.note = reader.optional_text("note", {.min_size = 0}).value_or("");
  if (const Json* const knobs = reader.find("knobs"); knobs != nullptr) {
    if (!knobs->is_object() || knobs->size() > kMaxChoiceKnobs) {
      reader.refuse("knobs", "must be an object of at most 32 texts");
      return read;
    }
    for (const auto& [name, value] : knobs->items()) {
      if (!value.is_string()) {
        reader.refuse("knobs", name + " must be a text, the value as written after '='");
        continue;
      }
      read.member.knobs.push_back({name, value.get<std::string>()});
    }
  }
  const Result<void> allowed = check_decision(decision_of(read.member), "clang", kMajor);
  if (!allowed) {
    reader.refuse("pipeline", allowed.error().message);
  }
  return read;
}

}  // namespace

Result<std::vector<CandidateMember>> read_members(const std::filesystem::path& file,
                                                  std::string_view level) {
  HONE_TRY(const std::string text, read_file(file, kMaxBytes));
  const Result<Json> document = parse_json(text);
  if (!document) {
    return document.error().within(file.string());
  }
  Problems problems;
  ObjectReader reader(*document, "", problems, UnknownKeys::refuse);
  if (reader.text("format") != kFormat) {
    reader.refuse("format", "must be \"" + std::string(kFormat) + "\"");
  }
  std::vector<CandidateMember> members;
  reader.each("members", kMaxChoiceMembers,
              [&](ObjectReader& member) { members.push_back(read_member(member)); });
  const ChoiceMember own{"default<" + std::string(level) + ">", {}};
  if (members.size() < 2 || members.front().member != own) {
    reader.refuse("members",
                  "must have two at least, the first " + own.pipeline + " without knobs");
  }
  reader.finish();
  if (auto error = problems.as_error(file.string())) {
    return *std::move(error);
  }
  return members;
}

}  // namespace hone
