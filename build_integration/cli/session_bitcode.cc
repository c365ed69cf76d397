#include "build_integration/cli/session_bitcode.h"

namespace hone {
namespace {

const std::string kSession = "by-pipeline";

}  // namespace

Result<std::string> session_bitcode(SessionClient& client, const std::filesystem::path& program,
                                    const std::string& pipeline) {
  SessionRequest open;
  open.session = kSession;
  open.command = SessionCommand::open;
  open.program = program.string();
  open.pipelines = {pipeline};
  open.observe = {ObservationSpace::bitcode};
  HONE_TRY(const SessionReply opened, client.ask(std::move(open)));
  SessionRequest close;
  close.session = kSession;
  close.command = SessionCommand::close;
  HONE_TRY(const SessionReply closed, client.ask(std::move(close)));
  if (opened.outcome != StepOutcome::ok) {
    return fail(
        ErrorCode::unavailable,
        opened.pipeline + " " + std::string(to_string(opened.outcome)) + ": " + opened.reason);
  }
  return bitcode_of(opened);
}

Result<std::string> bitcode_of(const SessionReply& reply) {
  const auto found = reply.observations.find(std::string(to_string(ObservationSpace::bitcode)));
  const auto* const bytes =
      found == reply.observations.end() ? nullptr : std::get_if<std::string>(&found->second);
  if (bytes == nullptr) {
    return fail(ErrorCode::unavailable,
                "no bitcode came: " + std::string(to_string(reply.outcome)) + " " + reply.reason);
  }
  return *bytes;
}

}  // namespace hone
