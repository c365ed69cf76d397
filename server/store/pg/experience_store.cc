#include "server/store/experience_store.h"

#include "server/store/pg/line_stream.h"

namespace hone {
namespace {

const LineSource kExperiences{"experiences", "line", "experiences s", R"sql((
EXISTS (SELECT FROM attempts a JOIN jobs j ON j.number = a.job JOIN targets t ON t.number = j.target
        WHERE a.number = s.attempt AND t.name = ANY ({0}))
OR EXISTS (SELECT FROM canaries c JOIN targets t ON t.number = c.target
           WHERE c.number = s.canary AND t.name = ANY ({0}))))sql"};

}  // namespace

Async<LinePage> ExperienceStore::read(LineRequest wanted) {
  Result<LinePage> page = co_await read_lines(pool_, kExperiences, std::move(wanted));
  co_return page;
}

}  // namespace hone
