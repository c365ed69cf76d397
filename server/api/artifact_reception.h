// How a complete upload becomes an artifact, whatever way its bytes came. For the handlers.
#pragma once

#include <cstdint>
#include <string>

#include "server/api/api.h"

namespace hone {

// Who may upload: a learner's sessions need their programs.
inline constexpr Roles kUploaders{Role::submitter, Role::learner};

// The body's length as its header says it; 0 if it does not.
std::int64_t announced_bytes(const Request& request);

// Appends the request's body to the upload, piece by piece. Errors are the body's and the upload's.
Async<void> receive_body(ArtifactUpload& upload, BodySource& octets);

// Compares the hash, moves the file to where artifacts are kept, and records it as sent by the
// caller; afterwards the upload is of no more use. 201 with the artifact if it is new, to anybody
// or to the caller; 200 if it was there.
Async<Reply> store_upload(Api& api, const Request& request, ArtifactUpload& upload);

// The artifact's record, noted as used. not_found also if the caller may not read it, in the same
// words.
Async<ArtifactView> use_artifact(Api& api, const Caller& caller, std::string sha256);
// The same if its file is there, too.
Async<ArtifactView> find_artifact(Api& api, const Caller& caller, std::string sha256);

Reply artifact_reply(const std::string& sha256, std::int64_t size_bytes, int status);

}  // namespace hone
