#include "server/api/access.h"

#include <algorithm>

#include "common/protocol/names.h"
#include "server/api/request_values.h"

namespace hone {
namespace {

std::string_view word_of(Subject subject) {
  switch (subject) {
    case Subject::target:
      return "target";
    case Subject::job:
      return "job";
    case Subject::campaign:
      return "campaign";
    case Subject::candidate:
      return "candidate";
    case Subject::canary:
      return "canary";
    case Subject::attempt:
      break;
  }
  return "attempt";
}

OwnedThing thing_of(Subject subject) {
  switch (subject) {
    case Subject::job:
      return OwnedThing::job;
    case Subject::campaign:
      return OwnedThing::campaign;
    case Subject::candidate:
      return OwnedThing::candidate;
    case Subject::canary:
      return OwnedThing::canary;
    case Subject::target:
    case Subject::attempt:
      break;
  }
  return OwnedThing::attempt;
}

// As the store says it of what is not there.
Error no_such_thing(Subject subject, std::string_view id) {
  return fail(ErrorCode::not_found,
              "no " + std::string(word_of(subject)) + " '" + std::string(id) + "'");
}

Error may_not(const Caller& caller, TargetRight right, std::string_view where) {
  return fail(ErrorCode::permission_denied, "the token \"" + caller.name + "\" has no right to " +
                                                std::string(to_string(right)) + std::string(where));
}

Async<Reply> run_guarded(Api& api, Guard guard, ApiHandler handler, Request& request) {
  const std::string& value = request.path_value(guard.name);
  const bool is_one =
      guard.subject == Subject::target ? is_valid_name(value) : is_canonical_uuid(value);
  if (is_one) {  // what is none the handler refuses, naming it
    const Result<void> allowed =
        co_await check_access(api, request.caller, guard.subject, value, guard.right);
    HONE_CO_CHECK(allowed);
  }
  Async<Reply> running = handler(api, request);
  Result<Reply> reply = co_await std::move(running);
  co_return reply;
}

}  // namespace

Handler bind(Api& api, Guard guard, ApiHandler handler) {
  return [&api, guard, handler](Request& request) {
    return run_guarded(api, guard, handler, request);
  };
}

TargetRights rights_on(const Caller& caller, std::string_view target) {
  if (caller.grants == nullptr) {
    return usual_rights(caller.role);
  }
  const auto found = caller.grants->find(target);
  return found == caller.grants->end() ? TargetRights() : found->second;
}

Reader reader_of(const Caller& caller) {
  Reader reader;
  reader.token = caller.token_id;
  if (caller.grants != nullptr) {
    reader.targets.emplace();
    for (const auto& [target, rights] : *caller.grants) {
      reader.targets->push_back(target);
    }
  }
  return reader;
}

Result<void> check_anywhere(const Caller& caller, TargetRight right) {
  bool somewhere = usual_rights(caller.role).contains(right);
  if (caller.grants != nullptr) {
    somewhere = std::ranges::any_of(
        *caller.grants, [right](const auto& grant) { return grant.second.contains(right); });
  }
  return somewhere ? Result<void>() : Result<void>(may_not(caller, right, ""));
}

Result<void> check_target(const Caller& caller, const std::string& target, TargetRight right) {
  const TargetRights rights = rights_on(caller, target);
  if (rights.empty()) {
    return no_such_thing(Subject::target, target);
  }
  if (!rights.contains(right)) {
    return may_not(caller, right, caller.grants == nullptr ? "" : " for target '" + target + "'");
  }
  return {};
}

Async<void> check_access(Api& api, const Caller& caller, Subject subject, std::string id,
                         TargetRight right) {
  if (subject == Subject::target) {
    co_return check_target(caller, id, right);
  }
  if (caller.grants == nullptr) {
    if (!usual_rights(caller.role).contains(right)) {
      co_return may_not(caller, right, "");
    }
    co_return Result<void>();
  }
  Result<std::optional<std::string>> found =
      co_await api.store.access().target_of(thing_of(subject), id);
  HONE_CO_TRY(const std::optional<std::string> target, std::move(found));
  if (!target || rights_on(caller, *target).empty()) {
    co_return no_such_thing(subject, id);
  }
  co_return check_target(caller, *target, right);
}

Async<bool> may_read_artifact(Api& api, const Caller& caller, std::string sha256) {
  if (caller.grants == nullptr) {
    co_return true;
  }
  Result<bool> may =
      co_await api.store.access().may_read_artifact(std::move(sha256), reader_of(caller));
  co_return may;
}

AuditEntry audit_entry(const Request& request, std::string kind, std::string_view verb,
                       std::string object, std::string target) {
  AuditEntry entry;
  entry.token = request.caller.token_id;
  entry.action = kind + "." + std::string(verb);
  entry.kind = std::move(kind);
  entry.object = std::move(object);
  entry.target = std::move(target);
  entry.request = request.context.request;
  return entry;
}

}  // namespace hone
