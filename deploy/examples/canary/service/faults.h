// Faults that the demonstration plants, to show that a canary with one is withdrawn.
#pragma once

#include <atomic>
#include <optional>
#include <random>
#include <string>

struct Faults {
  double tail = 0;      // so much longer takes the slowest tenth of requests: 0.2 is 20 %
  double cpu = 0;       // so much more processor time takes every request
  double variance = 0;  // every fourth request, by chance, takes up to so much longer
  double failing = 0;   // share answered with 500
  double crash = 0;     // seconds after which the process ends itself
};

// "tail=0.2,cpu=0.05"; nothing for text that is no such list.
std::optional<Faults> parse_faults(const std::string& text);

// What 90 % of requests have taken at most, followed as they come. Thread safe.
class SlowTenth {
 public:
  // Whether this one belongs to the slowest tenth.
  bool contains(double seconds);

 private:
  std::atomic<double> limit_{0};
};

// Waits and works as the faults ask, after a request that took `seconds`; whether it shall fail.
bool suffer(const Faults& faults, double seconds, SlowTenth& slow, std::mt19937_64& random);
