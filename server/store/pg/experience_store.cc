#include "server/store/experience_store.h"

#include "server/store/pg/line_stream.h"

namespace hone {
namespace {

const LineSource kExperiences{"experiences", "line", "experiences s"};

}  // namespace

Async<LinePage> ExperienceStore::read(LineRequest wanted) {
  Result<LinePage> page = co_await read_lines(pool_, kExperiences, std::move(wanted));
  co_return page;
}

}  // namespace hone
