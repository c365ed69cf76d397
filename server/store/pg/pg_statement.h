// A statement with its name. It is prepared once per connection, at first use.
#pragma once

#include <string>

namespace hone {

// Whether a statement may be sent again when the connection was lost while it ran, not knowing
// whether it took effect.
enum class Repeat { unsafe, safe };

struct PgStatement {
  std::string name;  // unique: the same name always has the same text
  std::string sql;
  Repeat repeat = Repeat::unsafe;
};

}  // namespace hone
