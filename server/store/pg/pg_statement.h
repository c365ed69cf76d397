// A statement with its name. It is prepared once per connection, at first use.
//
// PostgreSQL keeps the plan of a prepared statement as long as nothing tells it that the tables
// have changed much, which it learns from their statistics, after some time. A plan that was made
// when there were ten rows reads the whole table for each row of a campaign that was just given ten
// thousand. So a statement over many rows of one thing is planned each time: a plan by itself sees
// how large the tables are now.
#pragma once

#include <string>

namespace hone {

// Whether a statement may be sent again when the connection was lost while it ran, not knowing
// whether it took effect.
enum class Repeat { unsafe, safe };

enum class Planning { kept, each_time };

struct PgStatement {
  std::string name;  // unique: the same name always has the same text
  std::string sql;
  Repeat repeat = Repeat::unsafe;
  Planning planning = Planning::kept;
};

}  // namespace hone
