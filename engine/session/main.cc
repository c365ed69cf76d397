// hone-session: compile sessions over standard input and output, a request or a reply a line
// (common/sessions/session_request.h, sealed_reply.h). Ends when its input does and all is
// answered.
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "engine/llvm/ir2vec_vocabulary.h"
#include "engine/llvm/target.h"
#include "engine/session/session_server.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20U;

void write_reply(const SealedReply& reply) {
  const std::string line = to_line(reply) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

void refuse(const Json& document, const Error& error) {
  SealedReply reply;
  if (document.is_object() && document.contains("id") && document["id"].is_number_unsigned()) {
    reply.head.id = document["id"].get<std::int64_t>();
  }
  reply.head.error = error;
  write_reply(reply);
}

void accept_line(SessionServer& server, std::string_view line) {
  const Result<Json> document = parse_json(line, {.bytes = kMaxLineBytes});
  if (!document) {
    refuse(Json(), document.error());
    return;
  }
  Result<SessionRequest> request = parse_session_request(*document);
  if (request) {
    server.accept(*std::move(request), std::string(line));
  } else {
    refuse(*document, request.error());
  }
}

// Whole lines out of what was read; the rest stays.
void accept_lines(SessionServer& server, std::string& buffer) {
  std::size_t from = 0;
  for (std::size_t end = buffer.find('\n'); end != std::string::npos;
       end = buffer.find('\n', from)) {
    if (end > from) {
      accept_line(server, std::string_view(buffer).substr(from, end - from));
    }
    from = end + 1;
  }
  buffer.erase(0, from);
  if (buffer.size() > kMaxLineBytes) {
    refuse(Json(), fail(ErrorCode::too_large,
                        "a line of more than " + std::to_string(kMaxLineBytes) + " bytes"));
    buffer.clear();
  }
}

volatile std::sig_atomic_t stopping = 0;

// Its files are taken along.
void stop_on_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { stopping = 1; };
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    sigaction(number, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

int serve(const SessionServerSettings& settings) {
  SessionServer server(settings, write_reply);
  std::string buffer;
  bool open = true;
  while (stopping == 0 && (open || !server.idle())) {
    std::vector<pollfd> polled;
    if (open) {
      polled.push_back({STDIN_FILENO, POLLIN, 0});
    }
    server.add_channels(polled);
    poll(polled.data(), polled.size(), static_cast<int>(server.next_deadline().count()));
    if (open && polled[0].revents != 0) {
      char bytes[65536];
      const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
      open = got > 0 || (got < 0 && errno == EINTR);
      buffer.append(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
      accept_lines(server, buffer);
    }
    server.handle(polled);
  }
  return 0;
}

Result<std::shared_ptr<const Ir2VecVocabulary>> read_vocabulary(const std::string& file) {
  if (file.empty()) {
    return std::shared_ptr<const Ir2VecVocabulary>();
  }
  HONE_TRY(const std::string text, read_file(file, kMaxVocabularyBytes));
  Result<Ir2VecVocabulary> vocabulary = Ir2VecVocabulary::parse(text);
  if (!vocabulary) {
    return vocabulary.error().within(file);
  }
  return std::make_shared<const Ir2VecVocabulary>(*std::move(vocabulary));
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  hone::SessionServerSettings settings;
  std::int64_t memory_mib = 2048;
  std::int64_t pipeline_seconds = 30;
  std::int64_t idle_seconds = 300;
  CLI::App app("Compile sessions over standard input and output", "hone-session");
  app.set_version_flag("--version", "hone-session " HONE_VERSION ", " + hone::llvm_version());
  app.add_option("--memory-mib", memory_mib, "Address space of a session's process")
      ->check(CLI::Range(256, 1 << 20))
      ->capture_default_str();
  app.add_option("--pipeline-seconds", pipeline_seconds, "Longest a pipeline may take")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  app.add_option("--idle-seconds", idle_seconds,
                 "Then a session's process is ended; its state stays")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  app.add_option("--max-sessions", settings.max_sessions)
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--max-processes", settings.max_processes, "Of sessions that are not parked")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  std::string vocabulary_file;
  app.add_option("--ir2vec", vocabulary_file, "IR2Vec's vocabulary, for the observation Ir2vec")
      ->envname("HONE_IR2VEC");
  CLI11_PARSE(app, argc, argv);
  settings.process.memory_bytes = static_cast<std::uint64_t>(memory_mib) << 20U;
  settings.pipeline_limit = std::chrono::seconds(pipeline_seconds);
  settings.idle_limit = std::chrono::seconds(idle_seconds);

  auto vocabulary = hone::read_vocabulary(vocabulary_file);
  if (!vocabulary) {
    std::fprintf(stderr, "hone-session: --ir2vec: %s\n", vocabulary.error().describe().c_str());
    return 1;
  }
  settings.vocabulary = *std::move(vocabulary);

  std::string pattern = (std::filesystem::temp_directory_path() / "hone-session-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    std::perror("hone-session: a folder for programs");
    return 1;
  }
  settings.folder = pattern;
  hone::stop_on_signals();
  // Set up once, before processes are made of this one. The first SHA-256 reads OpenSSL's
  // configuration, which a session's process may not.
  (void)hone::sha256_hex("");
  const auto machine = hone::make_target_machine("");
  if (!machine) {
    std::fprintf(stderr, "hone-session: %s\n", machine.error().describe().c_str());
    return 1;
  }
  const int status = hone::serve(settings);
  std::error_code ignored;
  std::filesystem::remove_all(settings.folder, ignored);
  return status;
}
