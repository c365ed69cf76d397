// Whether a policy's signature is good for putting it in force.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/store/pg/pg_transaction.h"

namespace hone {

// By any key that is in use for this target (its name) or for all. permission_denied, saying which
// keys there are; invalid_argument for what is no signature.
Async<void> check_signature(PgTransaction& transaction, std::string target, std::string document,
                            std::string signature);

// Whether the target asks for signatures.
Async<bool> needs_signature(PgTransaction& transaction, std::string target);

}  // namespace hone
