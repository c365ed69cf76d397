// Fuzzes the readers of what comes over REST. Input: a byte that chooses the reader, then a JSON
// document. What a reader takes is written and read again as the same; what it refuses it explains.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/attempt_result.h"
#include "common/protocol/campaign.h"
#include "common/protocol/canary_spec.h"
#include "common/protocol/candidate.h"
#include "common/protocol/fields.h"
#include "common/protocol/job.h"
#include "common/protocol/lease.h"
#include "common/protocol/metric_spec.h"
#include "common/protocol/problem.h"
#include "common/protocol/service_spec.h"
#include "common/protocol/source_profile.h"
#include "common/protocol/target_spec.h"
#include "common/protocol/worker.h"
#include "common/sessions/session_request.h"
#include "tests/fuzz/check.h"

namespace hone {
namespace {

void check_refusal(const Error& error) {
  FUZZ_CHECK(error.code == ErrorCode::invalid_argument || error.code == ErrorCode::unsupported);
  FUZZ_CHECK(!error.message.empty() && !error.fields.empty());
  for (const FieldProblem& field : error.fields) {
    FUZZ_CHECK(!field.detail.empty());
    static_cast<void>(Json::json_pointer(field.pointer));  // throws if it is none
  }
}

// What `parse` takes is written as the same document again and again.
template <class Parse, class Print>
void round_trip(const Json& document, Parse parse, Print print) {
  const auto read = parse(document);
  if (!read.has_value()) {
    check_refusal(read.error());
    return;
  }
  const Json printed = print(*read);
  const Result<Json> sent = parse_json(dump_json(printed));
  FUZZ_CHECK(sent.has_value());
  const auto again = parse(*sent);
  if (!again.has_value()) {
    std::fprintf(stderr, "refused when read again: %s\n", again.error().describe().c_str());
  }
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(dump_json(print(*again)) == dump_json(printed));
}

const auto kPrint = [](const auto& value) { return to_json(value); };

void read_jobs(const Json& document) {
  round_trip(document, parse_job_batch, [](const std::vector<JobRequest>& jobs) {
    return Json{{"jobs", list_to_json(jobs)}};
  });
}
void read_job_view(const Json& document) {
  round_trip(document, parse_job_view, kPrint);
}
void read_campaign(const Json& document) {
  round_trip(document, parse_campaign_request, kPrint);
}
void read_campaign_view(const Json& document) {
  round_trip(document, parse_campaign_view, kPrint);
}
void read_finalists(const Json& document) {
  round_trip(document, parse_finalists,
             [](const std::vector<std::string>& ids) { return Json{{"candidates", ids}}; });
}
void read_candidates(const Json& document) {
  const auto parse = [](const Json& text) {
    return parse_candidate_set(text, UnknownKeys::refuse);
  };
  round_trip(document, parse, kPrint);
}
void read_lease_request(const Json& document) {
  round_trip(document, parse_lease_request, kPrint);
}
void read_lease(const Json& document) {
  round_trip(document, parse_lease, kPrint);
}
void read_heartbeat(const Json& document) {
  round_trip(document, parse_heartbeat_reply, kPrint);
}
void read_hand_back(const Json& document) {
  round_trip(document, parse_hand_back, kPrint);
}
void read_result(const Json& document) {
  const auto parse = [](const Json& text) {
    return parse_attempt_result(text, UnknownKeys::ignore);
  };
  round_trip(document, parse, kPrint);
}
void read_metric_spec(const Json& document) {
  round_trip(document, parse_metric_spec, kPrint);
}
void read_profile(const Json& document) {
  const auto parse = [](const Json& text) {
    return parse_document(text, UnknownKeys::refuse, "profile", read_source_profile);
  };
  round_trip(document, parse, kPrint);
}
void read_worker(const Json& document) {
  const auto parse = [](const Json& text) { return parse_worker(text, UnknownKeys::ignore); };
  round_trip(document, parse, kPrint);
}
void read_target(const Json& document) {
  const auto parse = [](const Json& text) { return parse_target_spec(text, UnknownKeys::refuse); };
  round_trip(document, parse, kPrint);
  const Result<TargetSpec> spec = parse(document);
  if (!spec.has_value()) {
    return;
  }
  // Every word that the reader let pass has a value for the worker, and none is a path outside.
  const std::vector<Placeholder> words{{"{source}", "s"}, {"{build}", "b"}, {"{cc}", "cc"},
                                       {"{cxx}", "cxx"},  {"{jobs}", "2"},  {"{input}", "i"}};
  FUZZ_CHECK(expand(spec->benchmark.command, words).has_value());
  for (const Arguments& command : spec->build.commands) {
    FUZZ_CHECK(!command.empty() && expand(command, words).has_value());
  }
  for (const std::string& binary : spec->build.binaries) {
    FUZZ_CHECK(is_safe_relative_path(binary) && binary.front() != '/');
  }
}
void read_canary(const Json& document) {
  const auto parse = [](const Json& text) { return parse_canary_spec(text, UnknownKeys::refuse); };
  round_trip(document, parse, kPrint);
}
void read_service(const Json& document) {
  const auto parse = [](const Json& text) { return parse_service_spec(text, UnknownKeys::refuse); };
  round_trip(document, parse, kPrint);
}
void read_session_command(const Json& document) {
  round_trip(document, parse_session_request, kPrint);
}
void read_problem(const Json& document) {
  const Error error = error_from_problem(400, dump_json(document));
  FUZZ_CHECK(!error.message.empty());
  const Error again = error_from_problem(400, dump_json(problem_document(error)));
  FUZZ_CHECK(again.code == error.code && again.message == error.message);
  FUZZ_CHECK(again.fields == error.fields);
}

constexpr std::array kReaders{
    read_jobs,       read_job_view,        read_campaign, read_campaign_view, read_finalists,
    read_candidates, read_lease_request,   read_lease,    read_heartbeat,     read_hand_back,
    read_result,     read_metric_spec,     read_profile,  read_worker,        read_target,
    read_problem,    read_session_command, read_canary,   read_service};

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const hone::Result<hone::Json> document = hone::parse_json(text);
  if (document.has_value()) {
    hone::kReaders.at(data[0] % hone::kReaders.size())(*document);
  }
  return 0;
}
