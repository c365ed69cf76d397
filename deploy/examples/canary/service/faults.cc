#include "faults.h"

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

void work_for(double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
  }
}

}  // namespace

std::optional<Faults> parse_faults(const std::string& text) {
  Faults faults;
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) {
      return std::nullopt;
    }
    char* end = nullptr;
    const double value = std::strtod(item.c_str() + equals + 1, &end);
    if (end == item.c_str() + equals + 1 || *end != '\0' || !(value >= 0)) {
      return std::nullopt;
    }
    const std::string name = item.substr(0, equals);
    if (name == "tail") {
      faults.tail = value;
    } else if (name == "cpu") {
      faults.cpu = value;
    } else if (name == "variance") {
      faults.variance = value;
    } else if (name == "failing") {
      faults.failing = value;
    } else if (name == "crash") {
      faults.crash = value;
    } else {
      return std::nullopt;
    }
  }
  return faults;
}

bool SlowTenth::contains(double seconds) {
  // Robbins and Monro's way to a quantile: nine small steps down balance one large one up.
  constexpr double kStep = 0.002;
  const double limit = limit_.load();
  const bool slow = seconds > limit;
  limit_ = limit == 0 ? seconds : limit * (slow ? 1 + 9 * kStep : 1 - kStep);
  return slow;
}

bool suffer(const Faults& faults, double seconds, SlowTenth& slow, std::mt19937_64& random) {
  std::uniform_real_distribution<double> share(0, 1);
  // Sleeping takes longer than asked for, on a busy machine by milliseconds: small times are
  // worked.
  if (faults.tail > 0 && slow.contains(seconds)) {
    work_for(seconds * faults.tail);
  }
  if (faults.variance > 0 && share(random) < 0.25) {
    work_for(seconds * faults.variance * share(random));
  }
  if (faults.cpu > 0) {
    work_for(seconds * faults.cpu);
  }
  return faults.failing > 0 && share(random) < faults.failing;
}
