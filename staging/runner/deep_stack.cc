#include "staging/runner/deep_stack.h"

#include <pthread.h>

namespace hone {
namespace {

void* run(void* work) {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

}  // namespace

Result<void> run_on_stack(std::size_t bytes, const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread{};
  int failed = pthread_attr_setstacksize(&attributes, bytes);
  // The thread only calls it.
  failed = failed != 0 ? failed
                       : pthread_create(&thread, &attributes, run,
                                        const_cast<std::function<void()>*>(&work));
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    return fail(ErrorCode::unavailable,
                system_error("a thread with a stack of " + std::to_string(bytes) + " bytes", failed)
                    .message);
  }
  pthread_join(thread, nullptr);
  return {};
}

}  // namespace hone
