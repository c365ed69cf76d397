// For how long what a coordinator keeps in memory of the database is good, if no notification says
// otherwise: a connection that is lost without a word brings none.
#pragma once

#include <chrono>

#include "server/store/notifications.h"

namespace hone {

// Less while nobody listens to the database.
inline std::chrono::seconds kept_for(const Notifications& notifications) {
  return std::chrono::seconds(notifications.listening() ? 5 : 1);
}

}  // namespace hone
