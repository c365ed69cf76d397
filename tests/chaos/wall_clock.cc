// Preloaded into the programs of the chaos test: a wall clock that can be set while they run, as an
// administrator or ntpd sets it. HONE_WALL_CLOCK names a file that begins with an offset, eight
// bytes, nanoseconds. The monotonic clock stays as it is, and with it all timers.
//
// Not libfaketime: its 0.9.10 also moves timers on the monotonic clock (timerfd_settime and
// clock_nanosleep with absolute times), which then fire an hour late, as they never do when a clock
// is set.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

using GetTime = int (*)(clockid_t, timespec*);

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t offset() {
  static const std::atomic<std::int64_t>* const mapped = []() -> const std::atomic<std::int64_t>* {
    const char* path = std::getenv("HONE_WALL_CLOCK");
    const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      return nullptr;
    }
    void* place = mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    return place == MAP_FAILED ? nullptr : static_cast<const std::atomic<std::int64_t>*>(place);
  }();
  return mapped == nullptr ? 0 : mapped->load();
}

GetTime real() {
  static const auto found = reinterpret_cast<GetTime>(dlsym(RTLD_NEXT, "clock_gettime"));
  return found;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const int failed = real()(clock, now);
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    const std::int64_t set = now->tv_sec * kSecond + now->tv_nsec + offset();
    now->tv_sec = set / kSecond;
    now->tv_nsec = set % kSecond;
  }
  return failed;
}

int gettimeofday(timeval* now, void* /*zone*/) noexcept {
  timespec precise{};
  const int failed = clock_gettime(CLOCK_REALTIME, &precise);
  if (failed == 0) {
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
  }
  return failed;
}

time_t time(time_t* now) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now != nullptr) {
    *now = precise.tv_sec;
  }
  return precise.tv_sec;
}
}
