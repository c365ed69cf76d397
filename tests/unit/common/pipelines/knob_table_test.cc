#include "common/pipelines/knob_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/pipelines/o3_pipeline.h"

namespace hone {
namespace {

constexpr int kMajor = 19;

bool allowed(std::string_view name, std::string_view value) {
  return check_knob(name, value, kMajor).has_value();
}

TEST(KnobTable, AcceptsValuesInTheirRange) {
  EXPECT_TRUE(allowed("unroll-count", "1"));
  EXPECT_TRUE(allowed("unroll-count", "64"));
  EXPECT_TRUE(allowed("slp-threshold", "-100"));
  EXPECT_TRUE(allowed("enable-pre", "false"));
}

TEST(KnobTable, RefusesEverythingElse) {
  for (const char* value : {"0", "65", "-1", "04", "+4", " 4", "4 ", "4x", "", "-", "true", "0x4",
                            "99999999999999999999"}) {
    EXPECT_FALSE(allowed("unroll-count", value)) << value;
  }
  for (const char* value : {"1", "0", "", "True", "no"}) {
    EXPECT_FALSE(allowed("enable-pre", value)) << value;
  }
  EXPECT_FALSE(allowed("slp-threshold", "-0"));
  EXPECT_THAT(check_knob("unroll-count", "65", kMajor).error().message,
              testing::HasSubstr("from 1 to 64"));
}

TEST(KnobTable, RefusesKnobsThatReassociateOrWriteOrMiscompile) {
  for (const char* name :
       {"force-vector-width", "enable-newgvn", "enable-loopinterchange", "print-after-all",
        "inliner-interactive-channel-base", "polly-export", "info-output-file", "load", ""}) {
    EXPECT_FALSE(allowed(name, "4")) << name;
    EXPECT_FALSE(allowed(name, "true")) << name;
  }
  EXPECT_FALSE(check_knob("unroll-count", "4", 18));
}

TEST(KnobTable, EveryCandidateIsAllowed) {
  for (const KnobEntry& entry : knob_table()) {
    EXPECT_EQ(find_knob(entry.name, entry.majors.last), &entry);
    for (const std::string_view value : entry.candidates) {
      EXPECT_TRUE(allowed(entry.name, value)) << entry.name << '=' << value;
    }
  }
  for (const KnobValue& knob : restoring_knobs(kMajor)) {
    EXPECT_TRUE(allowed(knob.name, knob.value)) << knob.name;
  }
}

}  // namespace
}  // namespace hone
