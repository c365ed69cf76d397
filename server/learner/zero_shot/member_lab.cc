#include "server/learner/zero_shot/member_lab.h"

#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "build_integration/programs/object_code.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/program_beside.h"

namespace hone {
namespace {

constexpr std::size_t kMaxLogBytes = std::size_t{16} << 20U;

// The text of a choice that ends at the member, whatever the module looks like.
std::string only_choice(const ChoiceMember& member, const std::string& level) {
  ChoiceModel model;
  model.members = {{"default<" + level + ">", {}}, member};
  model.nodes = {{.is_leaf = true, .member = 1}};
  return print_choice(model);
}

Result<std::filesystem::path> plugin_beside_us() {
  HONE_TRY(const std::filesystem::path sessions, program_beside_us("hone-session"));
  const std::filesystem::path above = sessions.parent_path().parent_path();
  for (const char* folder : {"lib", "lib/hone"}) {
    std::filesystem::path plugin = above / folder / "libhone_pass-19.so";
    if (std::filesystem::exists(plugin)) {
      return plugin;
    }
  }
  return fail(ErrorCode::not_found, "no libhone_pass-19.so in " + (above / "lib").string());
}

// What a file says of members measured before, by their choice's hash.
std::map<std::string, MemberResult> read_log(const std::filesystem::path& file) {
  std::map<std::string, MemberResult> known;
  const Result<std::string> text = read_file(file, kMaxLogBytes);
  const Result<Json> document = text ? parse_json(*text) : Result<Json>(text.error());
  if (!document || !document->is_object()) {
    return known;  // not there, or cut off: measured again
  }
  for (const auto& [name, value] : document->items()) {
    if (value.is_array() && value.size() == 2 && value[0].is_number_integer() &&
        value[1].is_number()) {
      known[name] = {value[0].get<std::int64_t>(), value[1].get<double>()};
    }
  }
  return known;
}

Result<void> write_log(const std::filesystem::path& file,
                       const std::map<std::string, MemberResult>& known) {
  Json document = Json::object();
  for (const auto& [name, result] : known) {
    document[name] = Json::array({result.text_bytes, result.cpu_seconds});
  }
  return write_file_atomically(file, dump_json(document) + "\n");
}

template <std::size_t size>
Result<std::array<std::int64_t, size>> numbers(const SessionReply& reply, ObservationSpace space) {
  const auto found = reply.observations.find(std::string(to_string(space)));
  const auto* const seen = found == reply.observations.end()
                               ? nullptr
                               : std::get_if<std::vector<std::int64_t>>(&found->second);
  if (seen == nullptr || seen->size() != size) {
    return fail(ErrorCode::unavailable, "the session gave no " + std::to_string(size) +
                                            " numbers as " + std::string(to_string(space)));
  }
  std::array<std::int64_t, size> all{};
  std::ranges::copy(*seen, all.begin());
  return all;
}

}  // namespace

Result<MemberLab> MemberLab::create(MemberLabSettings settings) {
  if (settings.plugin.empty()) {
    HONE_TRY(settings.plugin, plugin_beside_us());
  }
  HONE_TRY(const std::filesystem::path program, program_beside_us("hone-session"));
  HONE_TRY(SessionClient sessions, SessionClient::start(program));
  HONE_TRY(TemporaryFolder scratch, TemporaryFolder::create("hone-zero-shot"));
  std::error_code error;
  std::filesystem::create_directories(settings.folder, error);
  if (error) {
    return system_error(settings.folder.string(), error.value());
  }
  return MemberLab(std::move(settings), std::move(sessions), std::move(scratch));
}

Result<LabResults> MemberLab::measure(ProgramLoader& loader, const std::string& uri,
                                      const std::vector<ChoiceMember>& members) {
  HONE_TRY(const Program program, loader.load(uri));
  const std::string file = program.file.string();
  HONE_TRY(const std::string bitcode, read_file(program.file, std::size_t{256} << 20U));
  const std::filesystem::path log =
      settings_.folder / (to_hex(hash128(bitcode + '\n' + code_generator_identity())) + ".json");
  std::map<std::string, MemberResult> known = read_log(log);
  LabResults results;
  HONE_TRY(results.features, features_of(file));
  bool measured = false;
  for (const ChoiceMember& member : members) {
    const std::string name = to_hex(hash128(only_choice(member, settings_.level)));
    auto found = known.find(name);
    if (found == known.end()) {
      HONE_TRY(const MemberResult result, compile(file, member));
      found = known.emplace(name, result).first;
      measured = true;
    }
    results.members.push_back(found->second);
  }
  if (measured) {
    HONE_CHECK(write_log(log, known));
  }
  if (results.members.front().text_bytes == 0) {
    return fail(ErrorCode::unsupported, uri + ": the compiler's own pipeline makes no code of it");
  }
  return results;
}

Result<ChoiceFeatures> MemberLab::features_of(const std::string& program) {
  SessionRequest open;
  open.session = "s";
  open.command = SessionCommand::open;
  open.program = program;
  open.observe = {ObservationSpace::autophase, ObservationSpace::inst_count};
  HONE_TRY(const SessionReply reply, sessions_.ask(open));
  SessionRequest close;
  close.session = "s";
  close.command = SessionCommand::close;
  HONE_TRY(const SessionReply closed, sessions_.ask(close));
  HONE_TRY(const auto autophase, numbers<kChoiceAutophase>(reply, ObservationSpace::autophase));
  HONE_TRY(const auto counts, numbers<kChoiceInstCount>(reply, ObservationSpace::inst_count));
  return choice_features(autophase, counts);
}

Result<MemberResult> MemberLab::compile(const std::string& program, const ChoiceMember& member) {
  const std::string plugin = settings_.plugin.string();
  ObjectCompile compile;
  compile.program = program;
  compile.output = scratch_.path() / "a.o";
  compile.level = settings_.level;
  compile.options = {"-fno-crash-diagnostics", "-fplugin=" + plugin, "-fpass-plugin=" + plugin,
                     "-mllvm", "-use-hone-choice=" + only_choice(member, settings_.level)};
  const Result<ObjectCode> code = compile_object(compile, settings_.stop);
  if (!code) {
    // The compiler's end is the member's result; everything else is ours.
    const ErrorCode kind = code.error().code;
    if (kind == ErrorCode::invalid_argument || kind == ErrorCode::timed_out) {
      return MemberResult{};
    }
    return code.error();
  }
  return MemberResult{code->text_bytes, code->cpu_seconds};
}

}  // namespace hone
