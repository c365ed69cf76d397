// round_trip FILE ROUNDS: reads one decimal number a line, converts each to double and back to text
// in the shortest form and with 12 digits, ROUNDS times, and prints a checksum of all the text. The
// checksum is the same whatever the compiler did, unless it did something wrong.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "double-conversion/double-conversion.h"

namespace {

class Checksum {
 public:
  void add(const char* text) {
    for (; *text != '\0'; ++text) {
      value_ = (value_ ^ static_cast<unsigned char>(*text)) * 1099511628211ULL;  // FNV-1a
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037ULL;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: round_trip FILE ROUNDS\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  if (lines.empty()) {
    std::cerr << "round_trip: no numbers in " << argv[1] << '\n';
    return 1;
  }
  const int rounds = std::atoi(argv[2]);

  using double_conversion::DoubleToStringConverter;
  using double_conversion::StringBuilder;
  const double_conversion::StringToDoubleConverter parser(
      double_conversion::StringToDoubleConverter::NO_FLAGS, 0.0, 0.0, "inf", "nan");
  const DoubleToStringConverter& printer = DoubleToStringConverter::EcmaScriptConverter();

  Checksum checksum;
  char shortest_text[64];
  char precise_text[64];
  for (int round = 0; round < rounds; ++round) {
    for (const std::string& line : lines) {
      int used = 0;
      const double number =
          parser.StringToDouble(line.data(), static_cast<int>(line.size()), &used);
      StringBuilder shortest(shortest_text, sizeof shortest_text);
      printer.ToShortest(number, &shortest);
      checksum.add(shortest.Finalize());
      StringBuilder precise(precise_text, sizeof precise_text);
      printer.ToPrecision(number, 12, &precise);
      checksum.add(precise.Finalize());
    }
  }
  std::cout << lines.size() << " numbers, checksum " << checksum.value() << '\n';
  return 0;
}
