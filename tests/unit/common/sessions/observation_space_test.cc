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
  EXPECT_EQ(spaces, 15);
  int of_a_session = 0;
  for (const std::string_view text : split(kSessionObservationChoices, ',')) {
    EXPECT_FALSE(is_linked(*parse_observation_space(trim(text)))) << text;
    ++of_a_session;
  }
  EXPECT_EQ(of_a_session, 12);
  EXPECT_TRUE(is_linked(ObservationSpace::runtime));
  EXPECT_EQ(parse_observation_space("Inst2vec"), std::nullopt);
}

}  // namespace
}  // namespace hone
