#include "common/json/json_writer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/json/document.h"

namespace hone {
namespace {

TEST(JsonWriter, WritesWhatADocumentWouldBeDumpedAs) {
  const std::string odd = "\"\\/\t\n\x01 \x7f é \xff";
  JsonWriter writer;
  writer.begin_object();
  writer.key("a").begin_array().integer(-1).integer(INT64_MAX).number(0.1).number(2).end_array();
  writer.key("b").begin_object().end_object();
  writer.key("c").begin_object().key(odd).text(odd).key("z").truth(true).end_object();
  writer.key("d").begin_array().end_array();
  writer.key("e").begin_array().text("").begin_object().end_object().truth(false).end_array();
  writer.end_object();
  const Json document = {{"a", {-1, INT64_MAX, 0.1, 2.0}},
                         {"b", Json::object()},
                         {"c", {{odd, odd}, {"z", true}}},
                         {"d", Json::array()},
                         {"e", {"", Json::object(), false}}};
  EXPECT_EQ(writer.take(), dump_json(document));
}

}  // namespace
}  // namespace hone
