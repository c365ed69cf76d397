// /v1/policies/{target}: published rules in versions.
//
// A document is served byte for byte as it was stored, since signatures and ETags are of the bytes.
// It comes in as JSON and is stored in canonical form (compact, sorted keys): that is what a
// publisher signs.
#include "common/policy/policy_json.h"
#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/api/rule_check.h"
#include "server/api/table_reply.h"

namespace hone {
namespace {

constexpr std::uint64_t kPolicyBodyLimit = kLargeBodyLimit;

Json to_json(const PolicyVersion& version) {
  return Json{{"target", version.target},
              {"version", version.version},
              {"sequence", version.sequence},
              {"sha256", version.sha256},
              {"created_at", version.created_at},
              {"created_by", version.created_by},
              {"promoted", version.promoted},
              {"campaign", null_if_blank(version.campaign)},
              {"candidate", null_if_blank(version.candidate)},
              {"signed", version.is_signed}};
}

bool is_base64(std::string_view text) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t end = std::min(text.find('='), text.size());
  return text.size() % 4 == 0 && text.size() - end <= 2 &&
         text.find_first_not_of(kAlphabet) >= end &&
         text.find_first_not_of('=', end) == std::string_view::npos;
}

// Checks the whole of {"document":...,"signature":...}.
Result<NewPolicy> parse_publication(const Json& body, const std::string& target) {
  Problems problems;
  ObjectReader reader(body, "", problems, UnknownKeys::refuse);
  NewPolicy policy;
  policy.target = target;
  policy.signature = reader.optional_text("signature", {.max_size = 1024}).value_or("");
  if (!is_base64(policy.signature)) {
    reader.refuse("signature", "must be base64");
  }
  const Json* document = reader.require("document");
  reader.finish();
  if (document != nullptr) {
    const Result<ParsedPolicy> parsed = policy_from_json(*document);
    if (!parsed.has_value()) {
      for (const FieldProblem& field : parsed.error().fields) {
        problems.add("/document" + field.pointer, field.detail);
      }
      if (parsed.error().fields.empty()) {
        problems.add("/document", parsed.error().message);
      }
    } else {
      if (parsed->policy.target != target) {
        problems.add("/document/target", "must be \"" + target + "\", as in the path");
      }
      check_rules(parsed->policy.rules, "/document/rules", problems);
    }
    // Rules that are disabled were not read: nothing else looks at their texts.
    if (holds_nul(*document)) {
      problems.add("/document",
                   "must not hold NUL characters: the store could not be asked for it");
    }
    policy.document = dump_json(*document);
  }
  if (auto error = problems.as_error("policy")) {
    return *std::move(error);
  }
  return policy;
}

Async<Reply> publish_policy(Api& api, Request& request) {
  RequestValues values(request);
  const std::string target = values.path_name("target");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  auto parse = [&target](const Json& document) { return parse_publication(document, target); };
  Result<ParsedBody<NewPolicy>> parsed = co_await parse_body<NewPolicy>(request, parse);
  HONE_CO_TRY(ParsedBody<NewPolicy> body, std::move(parsed));
  body.value.created_by = request.caller.token_id;
  AuditedStore store(api.store, audit_entry(request, "policy", "publish", target, target));
  Result<PolicyVersion> published = co_await store.policies().publish(std::move(body.value));
  HONE_CO_TRY(const PolicyVersion version, std::move(published));
  Reply reply = json_reply(to_json(version), version.known ? 200 : 201);
  reply.headers.emplace_back(
      "Location", "/v1/policies/" + target + "?version=" + std::to_string(version.version));
  co_return reply;
}

Async<Reply> get_policy(Api& api, Request& request) {
  RequestValues values(request);
  std::string target = values.path_name("target");
  const std::optional<std::int64_t> version = values.number("version", 1, kMaxVersion);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  const std::string_view has = request.header("if-none-match");
  if (!version) {
    Result<Reply> reply = co_await api.policies.look_up(std::move(target), std::string(has));
    co_return reply;
  }
  Result<PolicyDocument> found =
      co_await api.store.policies().find_version(std::move(target), *version);
  HONE_CO_TRY(PolicyDocument document, std::move(found));
  co_return document_reply(std::move(document), has);
}

std::shared_ptr<const Reply> known_policy(const Api& api, const Request& request) {
  const std::string& target = request.path_value("target");
  const bool may = check_target(request.caller, target, TargetRight::read).has_value();
  return may && request.query.empty() ? api.policies.known(target, request.header("if-none-match"))
                                      : nullptr;
}

Async<Reply> list_versions(Api& api, Request& request) {
  RequestValues values(request);
  std::string target = values.path_name("target");
  const TableFormat format = table_format(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::vector<PolicyVersion>> found =
      co_await api.store.policies().versions(std::move(target));
  HONE_CO_TRY(const std::vector<PolicyVersion> versions, std::move(found));
  Json items = Json::array();
  for (const PolicyVersion& version : versions) {
    items.push_back(to_json(version));
  }
  co_return list_reply(std::move(items), format, "versions");
}

Async<Reply> promote_policy(Api& api, Request& request) {
  RequestValues values(request);
  const std::string target = values.path_name("target");
  const std::int64_t version = values.path_version("version");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "policy", "promote", target, target));
  Result<PolicyVersion> promoted = co_await store.policies().promote(target, version);
  HONE_CO_TRY(const PolicyVersion view, std::move(promoted));
  co_return json_reply(to_json(view));
}

Async<Reply> roll_back_policy(Api& api, Request& request) {
  RequestValues values(request);
  const std::string target = values.path_name("target");
  const std::int64_t version = values.path_version("version");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "policy", "rollback", target, target));
  Result<PolicyVersion> made =
      co_await store.policies().rollback(target, version, request.caller.token_id);
  HONE_CO_TRY(const PolicyVersion view, std::move(made));
  co_return json_reply(to_json(view), 201);
}

Result<std::string> parse_signature(const Json& body) {
  Problems problems;
  ObjectReader reader(body, "", problems, UnknownKeys::refuse);
  std::string signature = reader.text("signature", {.max_size = 1024});
  if (!signature.empty() && !is_base64(signature)) {
    reader.refuse("signature", "must be base64");
  }
  reader.finish();
  if (auto error = problems.as_error("signature")) {
    return *std::move(error);
  }
  return Result<std::string>(std::move(signature));
}

Async<Reply> attach_signature(Api& api, Request& request) {
  RequestValues values(request);
  const std::string target = values.path_name("target");
  const std::int64_t version = values.path_version("version");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<ParsedBody<std::string>> parsed =
      co_await parse_body<std::string>(request, parse_signature);
  HONE_CO_TRY(ParsedBody<std::string> body, std::move(parsed));
  AuditedStore store(api.store, audit_entry(request, "policy", "sign", target, target));
  Result<PolicyVersion> attached =
      co_await store.policies().attach_signature(target, version, std::move(body.value));
  HONE_CO_TRY(const PolicyVersion view, std::move(attached));
  co_return json_reply(to_json(view));
}

}  // namespace

std::vector<Route> policy_routes(Api& api) {
  const Guard read{Subject::target, "target", TargetRight::read};
  const Guard submit{Subject::target, "target", TargetRight::submit};
  const Guard promote{Subject::target, "target", TargetRight::promote};
  // Of those who are not admins only with a grant that says so.
  const Roles promoters{Role::submitter};
  return {{.path = "/v1/policies/{target}",
           .roles = kReaders,
           .query = {"version"},
           .handler = bind(api, read, get_policy),
           .quick = [&api](const Request& request) { return known_policy(api, request); }},
          {.method = HttpMethod::post,
           .path = "/v1/policies/{target}",
           .roles = Roles{Role::learner},
           .body = BodyKind::json,
           .body_limit = kPolicyBodyLimit,
           .handler = noting(api, Channel::policies, bind(api, submit, publish_policy))},
          {.path = "/v1/policies/{target}/versions",
           .roles = kReaders,
           .query = {"format"},
           .handler = bind(api, read, list_versions)},
          {.method = HttpMethod::post,
           .path = "/v1/policies/{target}/versions/{version}/promote",
           .roles = promoters,
           .body = BodyKind::optional_json,
           .handler = noting(api, Channel::policies, bind(api, promote, promote_policy))},
          {.method = HttpMethod::post,
           .path = "/v1/policies/{target}/versions/{version}/rollback",
           .roles = promoters,
           .body = BodyKind::optional_json,
           .handler = noting(api, Channel::policies, bind(api, promote, roll_back_policy))},
          {.method = HttpMethod::put,
           .path = "/v1/policies/{target}/versions/{version}/signature",
           .roles = Roles{Role::submitter, Role::learner},
           .body = BodyKind::json,
           .handler = noting(api, Channel::policies, bind(api, submit, attach_signature))}};
}

}  // namespace hone
