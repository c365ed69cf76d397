// What a caller may do to which targets, and what it sees of the rest: nothing. What belongs to a
// target that a caller may not read is not_found, in the same words as what is not there. Not
// thread safe.
#pragma once

#include <string>
#include <string_view>

#include "server/api/api.h"
#include "server/store/audited_store.h"
#include "server/store/reader.h"

namespace hone {

// Nothing at all for a target that a confined token has no grant for.
TargetRights rights_on(const Caller& caller, std::string_view target);

// For whom lists are made.
Reader reader_of(const Caller& caller);

// not_found if the caller may not read the target, or (for a confined token) if there is no such
// thing; permission_denied if it may read it but has not that right.
// permission_denied if it has the right to no target at all: asked first where the body says which.
Result<void> check_anywhere(const Caller& caller, TargetRight right);
Result<void> check_target(const Caller& caller, const std::string& target, TargetRight right);
Async<void> check_access(Api& api, const Caller& caller, Subject subject, std::string id,
                         TargetRight right);

// Whether the caller may read the artifact: it sent its bytes itself, or may read a target made of
// it.
Async<bool> may_read_artifact(Api& api, const Caller& caller, std::string sha256);

// The entry of a change by this request, "kind.verb" of an object; what is made gets its own.
AuditEntry audit_entry(const Request& request, std::string kind, std::string_view verb,
                       std::string object = {}, std::string target = {});

}  // namespace hone
