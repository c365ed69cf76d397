// Rows of the session log as the documents that SQL takes apart (jsonb_to_recordset): a batch has
// lists in its rows, which arrays of arrays could not hold. Thread safe.
#pragma once

#include <memory>
#include <vector>

#include "common/json/document.h"
#include "server/store/transition_store.h"

namespace hone {

using StepBatch = std::vector<std::shared_ptr<const LoggedStep>>;

// Each episode once, in one order everywhere, so that two writers do not deadlock; and so the
// states, with what was seen of each.
Json episodes_of(const StepBatch& steps);
Json states_of(const StepBatch& steps);
// In their order, which "place" holds.
Json rows_of(const StepBatch& steps);

}  // namespace hone
