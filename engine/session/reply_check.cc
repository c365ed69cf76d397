#include "engine/session/reply_check.h"

#include <cstdint>
#include <string>

#include "engine/llvm/session.h"

namespace hone {
namespace {

std::string of_at_most(std::size_t number, std::size_t most) {
  return std::to_string(number) + " of at most " + std::to_string(most);
}

// What is wrong with how many pipelines were applied, and which one was not; "" if nothing is.
std::string wrong_step(const ReplyHead& head, const SessionRequest& request, std::size_t length) {
  const std::size_t asked = request.pipelines.size();
  const auto applied = static_cast<std::size_t>(head.applied);
  if (head.applied < 0 || applied > asked) {
    return "pipelines were applied: " + of_at_most(applied, asked);
  }
  if (length + applied > kMaxHistory) {
    return "pipelines of a session: " + of_at_most(length + applied, kMaxHistory);
  }
  if (head.outcome == StepOutcome::ok) {
    return applied == asked ? ""
                            : "only " + std::to_string(applied) + " of " + std::to_string(asked) +
                                  " pipelines were applied, and none failed";
  }
  if (applied == asked) {
    return "a pipeline failed, of which there are none left";
  }
  return head.pipeline == request.pipelines[applied]
             ? ""
             : "another pipeline failed than the one behind those that were applied";
}

std::string wrong_reply(const ReplyHead& head, const SessionRequest& request, std::size_t length) {
  if (std::string wrong = wrong_step(head, request, length); !wrong.empty()) {
    return wrong;
  }
  if (request.command == SessionCommand::undo &&
      request.count > static_cast<std::int64_t>(length)) {
    return "pipelines were taken back: " +
           of_at_most(static_cast<std::size_t>(request.count), length);
  }
  const std::size_t may_mask = request.mask ? kMaxMasked : 0;
  if (head.masked.size() > may_mask) {
    return "pipelines are masked: " + of_at_most(head.masked.size(), may_mask);
  }
  return "";
}

Error refusal(const std::string& wrong) {
  return fail(ErrorCode::internal, "its reply cannot be: " + wrong);
}

}  // namespace

Result<SealedReply> read_process_reply(std::string_view text, const SessionRequest& request,
                                       std::size_t length) {
  const Result<void> passes = check_reply_size(text, kMaxProcessHeadBytes);
  Result<SealedReply> reply = passes ? parse_sealed_reply(text) : passes.error();
  if (!reply) {
    return refusal(reply.error().message);
  }
  const std::string wrong = reply->head.error ? "" : wrong_reply(reply->head, request, length);
  if (!wrong.empty()) {
    return refusal(wrong);
  }
  return reply;
}

}  // namespace hone
