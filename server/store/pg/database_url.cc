#include <memory>

#include <libpq-fe.h>

#include "server/store/store.h"

namespace hone {
namespace {

struct Freeing {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

}  // namespace

// libpq takes any other word for a database's name, and would look for it on this machine.
Result<void> check_database_url(const std::string& url) {
  const bool is_url = url.starts_with("postgresql://") || url.starts_with("postgres://");
  char* said = nullptr;
  const std::unique_ptr<PQconninfoOption, Freeing> options(PQconninfoParse(url.c_str(), &said));
  PQfreemem(said);  // it quotes the text
  if (options != nullptr && (is_url || url.find("://") == std::string::npos)) {
    return {};
  }
  return fail(ErrorCode::invalid_argument,
              is_url
                  ? "is no URL that PostgreSQL takes: postgresql://USER@HOST:PORT/NAME?KEY=VALUE, "
                    "special characters as %XX"
                  : "must be postgresql://USER@HOST:PORT/NAME, or words that libpq knows like "
                    "host=db dbname=hone");
}

}  // namespace hone
