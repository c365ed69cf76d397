#include "build_integration/launcher/compile_log.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "common/base/text.h"

namespace hone {
namespace {

// The launcher's only JSON: a text in quotes. (A library would double its size and start-up time.)
void append_quoted(std::string& line, std::string_view text) {
  line += '"';
  while (!text.empty()) {
    const char c = text.front();
    std::size_t size = utf8_size(text);
    if (size == 0) {
      line += "\\ufffd";
      size = 1;
    } else if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      line += escape.data();
    } else {
      line += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  line += '"';
}

void append_field(std::string& line, std::string_view name, std::string_view value) {
  line += line.empty() ? "{\"" : ",\"";
  line += name;
  line += "\":";
  append_quoted(line, value);
}

std::string now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  tm parts{};
  ::gmtime_r(&time.tv_sec, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec, static_cast<int>(time.tv_nsec / 1000000));
  return text.data();
}

}  // namespace

std::string print_record(const CompileRecord& record) {
  std::string line;
  append_field(line, "time", now());
  append_field(line, "source", record.source);
  append_field(line, "output", record.output);
  append_field(line, "pipeline_hash", record.pipeline_hash);
  append_field(line, "compiled", record.compiled);
  const bool meant = !record.pipeline_hash.empty() && record.reason != Reason::rule_says_plain;
  line += record.compiled == "tuned" ? ",\"tuned\":true" : ",\"tuned\":false";
  line += meant ? ",\"meant\":true" : ",\"meant\":false";
  append_field(line, "reason", to_string(record.reason));
  if (record.failure != Reason::none) {
    append_field(line, "failure", to_string(record.failure));
  }
  append_field(line, "compiler", record.compiler);
  std::array<char, 96> numbers{};
  std::snprintf(numbers.data(), numbers.size(), ",\"compiler_major\":%d,\"cpu_seconds\":%.3f",
                record.compiler_major, record.cpu_seconds);
  line += numbers.data();
  if (record.choice) {
    line += ",\"choice\":" + std::to_string(*record.choice);
  }
  append_field(line, "options", record.option_fingerprint);
  line += "}\n";
  return line;
}

void log_compile(const StateFolder& state, const CompileRecord& record) {
  if (state.exists()) {
    state.append_log(print_record(record));
  }
}

}  // namespace hone
