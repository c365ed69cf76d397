// Services as people describe them.
#include "common/protocol/service_spec.h"

#include "tests/unit/common/protocol/refusals.h"

namespace hone {
namespace {

Json full() {
  return {
      {"prometheus", "http://127.0.0.1:9090"},
      {"selector", {{"job", "shop"}}},
      {"group_label", "track"},
      {"baseline", "stable"},
      {"canary", "canary"},
      {"metrics", {{"latency", "http_seconds"}, {"failures", "http_failures_total"}, {"cpu", ""}}},
      {"window_seconds", 30},
      {"scrape_seconds", 5},
      {"objective", {{"good_share", 0.99}, {"latency", 0.25}, {"window_seconds", 3600}}},
      {"limits", Json::array({{{"sli", "latency_p99"}, {"limit", 0.5}}})},
      {"traffic",
       {{"haproxy",
         {{"socket", "/run/haproxy.sock"},
          {"backend", "app"},
          {"baseline", {"old-1", "old-2"}},
          {"canary", {"new"}}}}}}};
}

Pointers refused_of(const std::string& pointer, const Json& value) {
  return refused(parse_service_spec(with(full(), pointer, value), UnknownKeys::refuse));
}

TEST(ServiceSpec, ReadsWhatItWrites) {
  const Result<ServiceSpec> spec = parse_service_spec(full(), UnknownKeys::refuse);
  ASSERT_TRUE(spec.has_value()) << spec.error().describe();
  EXPECT_EQ(spec->metrics.latency, "http_seconds");
  EXPECT_EQ(spec->limits.front().sli, Sli::latency_p99);
  EXPECT_EQ(*parse_service_spec(to_json(*spec), UnknownKeys::refuse), *spec);
  Json document = full();
  document["traffic"] = {{"manifest",
                          {{"file", "/srv/split.json"},
                           {"name", "shop"},
                           {"service", "shop"},
                           {"baseline", "shop-old"},
                           {"canary", "shop-new"}}}};
  const Result<ServiceSpec> mesh = parse_service_spec(document, UnknownKeys::refuse);
  ASSERT_TRUE(mesh.has_value()) << mesh.error().describe();
  EXPECT_EQ(*parse_service_spec(to_json(*mesh), UnknownKeys::refuse), *mesh);
}

TEST(ServiceSpec, NeedsPrometheusAndTraffic) {
  const Result<ServiceSpec> spec =
      parse_service_spec({{"prometheus", "https://metrics:9090"}, {"traffic", full()["traffic"]}},
                         UnknownKeys::refuse);
  ASSERT_TRUE(spec.has_value()) << spec.error().describe();
  EXPECT_EQ(spec->group_label, "group");
  EXPECT_EQ(spec->metrics.cpu, "process_cpu_seconds_total");
}

TEST(ServiceSpec, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(refused_of("/prometheus", "file:///etc/passwd"), Pointers{"/prometheus"});
  EXPECT_EQ(refused_of("/selector/job", 3), Pointers{"/selector"});
  EXPECT_EQ(refused_of("/selector", Json{{"a\"}", "x"}}), Pointers{"/selector"});
  EXPECT_EQ(refused_of("/group_label", "le\"} or vector(1)"), Pointers{"/group_label"});
  EXPECT_EQ(refused_of("/group_label", "le"), Pointers{"/group_label"});
  EXPECT_EQ(refused_of("/selector", Json{{"track", "canary"}}), Pointers{"/selector"});
  EXPECT_EQ(refused_of("/canary", "stable"), Pointers{"/canary"});
  EXPECT_EQ(refused_of("/metrics/latency", "a b"), Pointers{"/metrics/latency"});
  EXPECT_EQ(refused_of("/window_seconds", 0), Pointers{"/window_seconds"});
  EXPECT_EQ(refused_of("/scrape_seconds", 20), Pointers{"/scrape_seconds"});
  EXPECT_EQ(refused_of("/objective/good_share", 1), Pointers{"/objective/good_share"});
  EXPECT_EQ(refused_of("/limits/0/sli", "latency_spread"), Pointers{"/limits/0/sli"});
  EXPECT_EQ(refused_of("/limits/0/limit", 0), Pointers{"/limits/0/limit"});
  const Json limit = {{"sli", "latency_p99"}, {"limit", 1}};
  EXPECT_EQ(refused_of("/limits", Json::array({limit, limit})), Pointers{"/limits/1/sli"});
  EXPECT_EQ(refused_of("/slo", 1), Pointers{"/slo"});
}

TEST(ServiceSpec, NamesWhatIsWrongWithTraffic) {
  EXPECT_EQ(refused_of("/traffic/haproxy", Json()), Pointers{"/traffic/haproxy"});
  EXPECT_EQ(refused_of("/traffic/haproxy/socket", "ha.sock"), Pointers{"/traffic/haproxy/socket"});
  // Nothing that HAProxy could take for a second command.
  for (const char* name : {"a b", "a;shutdown", "a\nb", "a/b"}) {
    EXPECT_EQ(refused_of("/traffic/haproxy/backend", name), Pointers{"/traffic/haproxy/backend"});
    EXPECT_EQ(refused_of("/traffic/haproxy/canary", Json{name}),
              Pointers{"/traffic/haproxy/canary"});
  }
  EXPECT_EQ(refused_of("/traffic/haproxy/canary", {"old-1"}), Pointers{"/traffic/haproxy/canary"});
  EXPECT_EQ(refused_of("/traffic/haproxy/baseline", Json::array()),
            Pointers{"/traffic/haproxy/baseline"});
}

}  // namespace
}  // namespace hone
