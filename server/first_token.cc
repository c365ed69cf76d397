#include "server/first_token.h"

#include <cstdio>
#include <string>
#include <utility>

#include "common/base/log.h"

namespace hone {
namespace {

constexpr const char* kAdminName = "admin";

}  // namespace

Async<void> ensure_first_token(TokenStore& tokens, DataFolder& folder) {
  Result<bool> has_admin = co_await tokens.has_admin();
  HONE_CO_CHECK(has_admin);
  if (*has_admin) {
    co_return Result<void>();
  }
  std::string secret = TokenStore::make_secret();
  HONE_CO_CHECK(folder.write_token(secret));
  const Result<NewToken> created =
      co_await tokens.create(kAdminName, Role::admin, TokenScope(), std::move(secret));
  if (created.has_value()) {
    std::printf("the first token, for admins, is in %s\n", folder.token_file().c_str());
    co_return Result<void>();
  }
  has_admin = co_await tokens.has_admin();
  if (created.error().code != ErrorCode::conflict || !has_admin.has_value() || !*has_admin) {
    co_return created.error();
  }
  log_info("first_token_exists", {{"advice", "another honed has made it just now"}});
  co_return folder.remove_token();
}

}  // namespace hone
