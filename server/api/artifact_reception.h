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

// Compares the hash, moves the file to where artifacts are kept, and records it; afterwards the
// upload is of no more use. 201 with the artifact if it is new, 200 if it was there.
Async<Reply> store_upload(Api& api, ArtifactUpload& upload, std::string token_id);

// The artifact if it is there, record and file; noted as used. not_found.
Async<ArtifactView> find_artifact(Api& api, std::string sha256);

Reply artifact_reply(const std::string& sha256, std::int64_t size_bytes, int status);

}  // namespace hone
