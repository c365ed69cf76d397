#include "server/http/problem_reply.h"

#include <nlohmann/json.hpp>

#include "common/base/inside_text.h"
#include "common/protocol/problem.h"

namespace hone {

Error open_error(Error error) {
  error.message = open_part(error.message);
  return error;
}

Reply problem_reply(const Error& error, int status) {
  Reply reply;
  reply.status = status != 0 ? status : http_status(error.code);
  reply.content_type = "application/problem+json";
  reply.body = dump_json(problem_document(open_error(error), reply.status));
  if (reply.status == 401) {
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  } else if (reply.status == 429 || reply.status == 503) {
    reply.headers.emplace_back("Retry-After", "1");
  }
  return reply;
}

}  // namespace hone
