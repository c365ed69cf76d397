// The OpenAPI document against the table of routes: each must describe the other.
#include <algorithm>
#include <map>
#include <set>

#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

// "get /v1/jobs/{id}" -> names of path and query parameters, roles, kind of body.
struct Operation {
  std::set<std::string> path_names;
  std::set<std::string> query;
  std::set<std::string> roles;
  std::string body;  // media type, "" for none
  bool body_required = false;
  bool operator==(const Operation&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Operation& operation) {
  return out << Json{{"path", operation.path_names},
                     {"query", operation.query},
                     {"roles", operation.roles},
                     {"body", operation.body},
                     {"required", operation.body_required}};
}

const Json& document() {
  static const Json kDocument = *parse_json(openapi_document());
  return kDocument;
}

std::map<std::string, Operation> described() {
  std::map<std::string, Operation> operations;
  for (const auto& [path, methods] : document()["paths"].items()) {
    for (const auto& [method, details] : methods.items()) {
      Operation& operation = operations[method + " " + path];
      for (const Json& parameter : details.value("parameters", Json::array())) {
        if (parameter["in"] == "path") {
          operation.path_names.insert(parameter["name"].get<std::string>());
          EXPECT_EQ(parameter.value("required", false), true) << method << path;
        } else if (parameter["in"] == "query") {
          operation.query.insert(parameter["name"].get<std::string>());
        }
      }
      for (const Json& role : details["x-roles"]) {
        operation.roles.insert(role.get<std::string>());
      }
      if (details.contains("requestBody")) {
        const Json& body = details["requestBody"];
        operation.body = body["content"].items().begin().key();
        operation.body_required = body.value("required", false);
      }
    }
  }
  return operations;
}

std::map<std::string, Operation> served() {
  std::map<std::string, Operation> operations;
  for (const Route& route : ApiServer::instance().router().routes()) {
    std::string method(to_string(route.method));
    std::ranges::transform(method, method.begin(), [](char c) { return c - 'A' + 'a'; });
    Operation& operation = operations[method + " " + route.path];
    for (std::size_t at = route.path.find('{'); at != std::string::npos;
         at = route.path.find('{', at + 1)) {
      operation.path_names.insert(route.path.substr(at + 1, route.path.find('}', at) - at - 1));
    }
    operation.query.insert(route.query.begin(), route.query.end());
    if (!route.roles) {
      operation.roles.insert("public");
    } else {
      for (const char* role : {"viewer", "submitter", "worker", "learner"}) {
        if (route.roles->contains(*parse_role(role))) {
          operation.roles.insert(role);
        }
      }
      if (operation.roles.empty()) {
        operation.roles.insert("admin");
      }
    }
    operation.body = route.body == BodyKind::none || route.body == BodyKind::messages ? ""
                     : route.body == BodyKind::octets ? "application/octet-stream"
                                                      : "application/json";
    operation.body_required = route.body == BodyKind::json || route.body == BodyKind::octets;
  }
  return operations;
}

TEST(OpenApi, DescribesEveryRouteAndNothingElse) {
  const auto in_document = described();
  const auto in_table = served();
  EXPECT_GE(in_table.size(), 30U);
  for (const auto& [name, operation] : in_table) {
    ASSERT_TRUE(in_document.contains(name)) << name << " is served, but not described";
    EXPECT_EQ(in_document.at(name), operation) << name;
  }
  for (const auto& [name, operation] : in_document) {
    EXPECT_TRUE(in_table.contains(name)) << name << " is described, but not served";
  }
}

TEST(OpenApi, NamesEveryCodeOfAProblemAndNoOther) {
  std::set<std::string> codes;
  // Up to the last of the closed set.
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    codes.emplace(to_string(static_cast<ErrorCode>(code)));
  }
  const Json& schema = document()["components"]["schemas"]["Problem"]["properties"]["code"];
  EXPECT_EQ(schema["enum"].get<std::set<std::string>>(), codes);
}

void collect_references(const Json& value, std::set<std::string>& references) {
  if (value.is_object() && value.contains("$ref")) {
    references.insert(value["$ref"].get<std::string>());
  }
  if (value.is_structured()) {
    for (const Json& child : value) {
      collect_references(child, references);
    }
  }
}

TEST(OpenApi, EveryReferenceLeadsSomewhereAndEverySchemaIsUsed) {
  std::set<std::string> references;
  collect_references(document(), references);
  for (const std::string& reference : references) {
    ASSERT_TRUE(reference.starts_with("#/")) << reference;
    EXPECT_TRUE(document().contains(Json::json_pointer(reference.substr(1)))) << reference;
  }
  for (const auto& [name, schema] : document()["components"]["schemas"].items()) {
    EXPECT_TRUE(references.contains("#/components/schemas/" + name) || name == "Event") << name;
  }
}

TEST(OpenApi, IsServed) {
  const Result<Json> answer = ApiServer::instance().client(Role::viewer).get("/openapi.json");
  ASSERT_TRUE(answer.has_value()) << answer.error().describe();
  EXPECT_EQ((*answer)["openapi"], "3.1.0");
  EXPECT_EQ(*answer, document());
}

// What the server sends has the keys that the document requires and no others.
void expect_fits(const Json& value, const std::string& schema_name) {
  const Json& schema = document()["components"]["schemas"][schema_name];
  for (const Json& key : schema.value("required", Json::array())) {
    EXPECT_TRUE(value.contains(key.get<std::string>())) << schema_name << " lacks " << key;
  }
  for (const auto& [key, member] : value.items()) {
    EXPECT_TRUE(schema["properties"].contains(key)) << schema_name << " does not know " << key;
  }
}

TEST(OpenApi, WireTypesHaveTheKeysOfTheirSchemas) {
  JobView job;
  job.result = AttemptResult{};
  job.attempts.resize(1);
  job.rules.resize(1);
  const Json job_json = to_json(job);
  expect_fits(job_json, "Job");
  expect_fits(job_json["attempts"][0], "Attempt");
  expect_fits(job_json["rules"][0], "Rule");
  expect_fits(job_json["result"], "AttemptResult");
  expect_fits(to_json(CampaignView{}), "Campaign");
  expect_fits(to_json(CampaignRequest{}), "CampaignRequest");
  expect_fits(to_json(CandidateSet{}), "CandidateSet");
  expect_fits(to_json(Candidate{}), "Candidate");
  expect_fits(to_json(JobRequest{}), "JobRequest");
  expect_fits(to_json(TargetSpec{}), "TargetSpec");
  expect_fits(to_json(WorkerView{}), "Worker");
  expect_fits(to_json(Lease{}), "Lease");
  expect_fits(to_json(LeaseRequest{}), "LeaseRequest");
  expect_fits(to_json(HeartbeatReply{}), "HeartbeatReply");
  expect_fits(to_json(HandBack{}), "HandBack");
  expect_fits(to_json(RewardEstimate{}), "Reward");
}

}  // namespace
}  // namespace hone
