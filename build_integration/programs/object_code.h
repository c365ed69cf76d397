// An object made of a program by clang 19 itself, with options of one's own, and how much
// code it has. Thread safe for distinct outputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct ObjectCompile {
  std::filesystem::path program;  // bitcode or IR text
  std::filesystem::path output;
  std::vector<std::string> options;
  std::string level = "O3";
};

struct ObjectCode {
  std::int64_t text_bytes = 0;  // of all executable sections
  double cpu_seconds = 0;
};

// invalid_argument if the compiler ends otherwise than well; timed_out, not_found, cancelled.
Result<ObjectCode> compile_object(const ObjectCompile& compile, const std::stop_token& stop = {});

// Changes whenever compile_object() may give other code.
std::string code_generator_identity();

}  // namespace hone
