#include "engine/session/session_child.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/object_reader.h"
#include "common/pipelines/forest.h"
#include "common/sessions/sealed_reply.h"
#include "engine/llvm/module_io.h"
#include "engine/llvm/session.h"
#include "engine/session/commands.h"
#include "engine/session/lock_down.h"
#include "engine/session/message_reader.h"
#include "engine/session/message_writer.h"

namespace hone {
namespace {

constexpr std::size_t kFilesOfACopy = 3;

// Nothing stays open but what is ours: another session's channel would keep that one alive.
void keep_only(const ChildEnds& ends) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  // A copy is locked down already, may open nothing, and has these from its original.
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
  }
  dup2(ends.errors.get(), STDERR_FILENO);
  const int low = std::min(ends.channel.get(), ends.progress.get());
  const int high = std::max(ends.channel.get(), ends.progress.get());
  close_range(STDERR_FILENO + 1, static_cast<unsigned>(low) - 1, 0);
  if (low + 1 < high) {
    close_range(static_cast<unsigned>(low) + 1, static_cast<unsigned>(high) - 1, 0);
  }
  close_range(static_cast<unsigned>(high) + 1, ~0U, 0);
}

class Child {
 public:
  Child(ChildEnds ends, const Ir2VecVocabulary* vocabulary) : vocabulary_(vocabulary) {
    take(std::move(ends));
  }

  [[noreturn]] void serve() {
    for (;;) {
      Result<Message> message = reader_.receive(channel_.get());
      if (!message) {
        // The server is gone or done with us; nothing of ours needs to be ended in order.
        std::_Exit(0);
      }
      progress_->pipeline = -1;
      progress_->started_ns = now_ns();
      if (message->text == kForkMessage) {
        copy(std::move(message->files));
      } else if (!send_message(channel_.get(), reply_to(message->text))) {
        std::_Exit(0);
      }
    }
  }

 private:
  void take(ChildEnds ends) {
    keep_only(ends);
    // The old descriptors of a copy are closed already.
    (void)channel_.release();
    (void)ends.errors.release();
    channel_ = std::move(ends.channel);
    reader_ = MessageReader();
    void* const memory =
        mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, ends.progress.get(), 0);
    if (memory == MAP_FAILED) {
      std::_Exit(1);
    }
    progress_ = static_cast<Progress*>(memory);
  }

  // The copy is a child of the server, as this process is, which so learns how it ends, and which
  // has to let the call through. What stands for it is a pidfd, as a number could be made up by a
  // process that was taken over. Both need the system call, which does what fork() does: this
  // process has one thread. Returns in both, with nothing to answer.
  void copy(std::vector<Descriptor> files) {
    if (files.size() != kFilesOfACopy) {
      std::_Exit(1);
    }
    int itself = -1;
    const long copied = syscall(SYS_clone, long{kCopyFlags}, nullptr, &itself, 0L, 0L);
    if (copied == 0) {
      // As SessionProcess::start() does.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      take({std::move(files[0]), std::move(files[1]), std::move(files[2])});
    } else if (copied > 0) {
      const Descriptor copy(itself);
      // If the server has closed it, it wants no copy any more.
      (void)send_message(files[0].get(), kCopiedMessage, {copy.get()});
    }
  }

  // A reply that the server would not take is a refusal instead.
  std::string reply_to(const std::string& text) {
    std::string line = to_line(sealed_reply_to(text));
    const Result<void> passes = check_reply_size(line, kMaxProcessHeadBytes);
    return passes ? line : to_line(refusal(passes.error()));
  }

  SealedReply sealed_reply_to(const std::string& text) {
    const Result<Json> document = parse_json(text, {.bytes = kMaxMessageBytes});
    if (!document) {
      return refusal(document.error());
    }
    if (session_ == nullptr) {
      const Result<void> loaded = load(*document);
      return loaded ? seal(SessionReply()) : refusal(loaded.error());
    }
    const Result<SessionRequest> request = parse_session_request(*document);
    return request ? seal(answer(*session_, *request)) : refusal(request.error());
  }

  static SealedReply refusal(const Error& error) {
    SealedReply reply;
    reply.head.error = error;
    return reply;
  }

  // The listener is closed here at once: who has it lets himself through.
  Result<void> give_up() {
    HONE_TRY(const Descriptor listener, lock_down());
    std::vector<int> files;
    if (listener) {
      files.push_back(listener.get());
    }
    return send_message(channel_.get(), kLockedMessage, files);
  }

  Result<void> load(const Json& document) {
    HONE_TRY(const SessionStart start, parse_session_start(document));
    HONE_TRY(const std::string program, read_file(start.program, kMaxProgramBytes));
    HONE_CHECK(give_up());
    SessionOptions options;
    options.verify = start.verify;
    // A history was allowed when it was made, by this very table.
    options.allowed_only = start.allowed_only;
    options.vocabulary = vocabulary_;
    options.on_pipeline = [this](std::int64_t pipeline) {
      // A history that is applied again is not the request's.
      progress_->pipeline = loading_ ? -1 : pipeline;
      progress_->started_ns = now_ns();
    };
    HONE_TRY(session_, Session::create(program, options));
    loading_ = true;
    const Result<StepResult> again =
        start.history.empty() ? StepResult() : session_->step(start.history);
    loading_ = false;
    if (!again || again->applied != start.history.size()) {
      session_.reset();
      return again ? fail(ErrorCode::internal,
                          "a history that was applied before broke the module: " + again->broken)
                   : again.error();
    }
    return {};
  }

  const Ir2VecVocabulary* vocabulary_;
  Descriptor channel_;
  MessageReader reader_;
  Progress* progress_ = nullptr;
  std::unique_ptr<Session> session_;
  bool loading_ = false;
};

}  // namespace

Json to_json(const SessionStart& start) {
  return {{"program", start.program},
          {"verify", start.verify},
          {"allowed_only", start.allowed_only},
          {"history", start.history}};
}

Result<SessionStart> parse_session_start(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  SessionStart start;
  start.program = reader.text("program");
  start.verify = reader.truth("verify");
  start.allowed_only = reader.truth("allowed_only");
  start.history = reader.text_list("history", kMaxHistory, {.max_size = kMaxPipelineBytes});
  reader.finish();
  if (auto error = problems.as_error("session start")) {
    return *std::move(error);
  }
  return start;
}

void serve_session(ChildEnds ends, const Ir2VecVocabulary* vocabulary) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    std::signal(number, SIG_DFL);
  }
  Child(std::move(ends), vocabulary).serve();
}

}  // namespace hone
