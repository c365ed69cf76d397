// What a session server makes of a program by a pipeline, as bitcode. Not thread safe.
#pragma once

#include <filesystem>
#include <string>

#include "common/base/result.h"
#include "common/sessions/session_client.h"

namespace hone {

// In a session of its own, which is closed again; no other request may be under way. unavailable
// with the reason where the pipeline fails.
Result<std::string> session_bitcode(SessionClient& client, const std::filesystem::path& program,
                                    const std::string& pipeline);

// The reply's Bitcode. unavailable, with what the step ended with, if there is none.
Result<std::string> bitcode_of(const SessionReply& reply);

}  // namespace hone
