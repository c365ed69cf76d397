#include "common/sessions/observation_space.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace hone {
namespace {

TEST(ObservationSpace, IsSpeltAndReadAlike) {
  int spaces = 0;
  for (const std::string_view text : split(kObservationSpaceChoices, ',')) {
    const auto space = parse_observation_space(trim(text));
    ASSERT_TRUE(space) << text;
    EXPECT_EQ(to_string(*space), trim(text));
    ++spaces;
  }
  EXPECT_EQ(spaces, 12);
  EXPECT_EQ(parse_observation_space("Inst2vec"), std::nullopt);
}

}  // namespace
}  // namespace hone
