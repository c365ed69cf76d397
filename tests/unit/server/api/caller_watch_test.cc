// Whether a caller still is what it was, as far as a coordinator hears of it.
#include "server/api/caller_watch.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "server/api/line_reply.h"
#include "tests/support/database.h"

namespace hone::test {
namespace {

class CallerWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string url = new_migrated_database();
    store = open(url);
    other = open(url);
  }
  void TearDown() override {
    store.reset();
    other.reset();
    context.restart();
    context.poll();
  }

  template <class T>
  T get(Async<T> work) {
    Result<T> result = run_on(context, std::move(work));
    if (!result) {
      throw std::runtime_error(result.error().describe());
    }
    return *std::move(result);
  }
  std::unique_ptr<Store> open(const std::string& url) {
    StoreOptions options;
    options.database_url = url;
    return get(Store::open(context.get_executor(), std::move(options)));
  }
  // One that shows its token.
  Caller come(TokenScope scope = {}) {
    const NewToken made = get(store->tokens().create("watched", Role::viewer, std::move(scope)));
    return caller_of(get(store->tokens().authenticate(made.secret)));
  }
  void revoke(Store& there, const Caller& caller) {
    const Result<void> revoked = run_on(context, there.tokens().revoke(caller.token_id));
    ASSERT_TRUE(revoked) << revoked.error().describe();
  }
  boost::asio::awaitable<void> pause() {
    boost::asio::steady_timer timer(context, std::chrono::milliseconds(20));
    co_await timer.async_wait(boost::asio::use_awaitable);
  }

  boost::asio::io_context context;
  std::unique_ptr<Store> store;
  std::unique_ptr<Store> other;  // another coordinator's
};

TEST_F(CallerWatchTest, ARevocationIsSeenAlsoWhereNobodyHearsOfIt) {
  const Caller caller = come();
  CallerWatch watch(*store, caller);
  EXPECT_EQ(get(watch.look()), CallerChange::none);
  store->notifications().stop();
  revoke(*other, caller);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  CallerChange change = CallerChange::none;
  while (change == CallerChange::none && std::chrono::steady_clock::now() < end) {
    run_on(context, pause());
    change = get(watch.look());
  }
  EXPECT_EQ(change, CallerChange::gone);
}

TEST_F(CallerWatchTest, PagesAreReadForWhoeverIsWhatItWas) {
  TokenScope scope;
  scope.grants = TargetGrants{{"a", {TargetRight::read}}, {"b", {TargetRight::read}}};
  const Caller caller = come(std::move(scope));
  int pages = 0;
  const ReadLines read = watched(*store, caller, [&pages](LineRequest) -> Async<LinePage> {
    ++pages;
    co_return LinePage();
  });
  EXPECT_TRUE(run_on(context, read({})));
  EXPECT_TRUE(run_on(context, read({})));
  EXPECT_EQ(pages, 2);
  get(store->tokens().revoke_grant(caller.token_id, "b"));
  store->notifications().note(Channel::tokens);
  const Result<LinePage> changed = run_on(context, read({}));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::unavailable) << "it may come back";
  revoke(*store, caller);
  store->notifications().note(Channel::tokens);
  const Result<LinePage> gone = run_on(context, read({}));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::unauthenticated);
  EXPECT_EQ(pages, 2);
}

}  // namespace
}  // namespace hone::test
