#include "build_integration/cli/junit_report.h"

#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "common/base/text.h"

#include <pugixml.hpp>

namespace hone {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// The library escapes; which characters there may be at all is ours to see to (XML 1.0, 2.2).
std::string xml_text(std::string_view text) {
  std::string allowed;
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    const std::string_view character = text.substr(0, size == 0 ? 1 : size);
    const auto first = static_cast<unsigned char>(character.front());
    const bool control = first < 0x20 && first != '\t' && first != '\n';
    const bool none = character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";  // U+FFFE, U+FFFF
    if (first != '\r') {
      allowed += size == 0 || control || none ? kReplacement : character;
    }
    text.remove_prefix(character.size());
  }
  return allowed;
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(xml_text(value).c_str());
}

void set_counts(pugi::xml_node node, const ReportSuite& suite) {
  set(node, "tests", std::to_string(suite.cases.size()));
  set(node, "failures", std::to_string(suite.count(CaseEnd::failed)));
  set(node, "errors", std::to_string(suite.count(CaseEnd::error)));
  set(node, "time", fmt::format("{:.3f}", suite.seconds()));
}

const char* element_of(CaseEnd end) {
  switch (end) {
    case CaseEnd::passed:
      return nullptr;
    case CaseEnd::failed:
      return "failure";
    case CaseEnd::error:
      return "error";
    case CaseEnd::skipped:
      return "skipped";
  }
  return "error";
}

void add_case(pugi::xml_node node, const ReportSuite& suite, const ReportCase& one) {
  pugi::xml_node test = node.append_child("testcase");
  set(test, "classname", "hone." + suite.target);
  set(test, "name", one.name);
  set(test, "time", fmt::format("{:.3f}", one.seconds));
  if (const char* const element = element_of(one.end); element != nullptr) {
    pugi::xml_node end = test.append_child(element);
    set(end, "type", one.kind);
    set(end, "message", one.summary());
    if (!one.reason.empty()) {
      end.text().set(xml_text(one.reason).c_str());
    }
  }
  if (!one.details.empty()) {
    test.append_child("system-out").text().set(xml_text(one.details).c_str());
  }
  if (!one.log.empty()) {
    test.append_child("system-err").text().set(xml_text(one.log).c_str());
  }
}

}  // namespace

std::string junit_report(const ReportSuite& suite) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node suites = document.append_child("testsuites");
  set(suites, "name", "hone");
  set_counts(suites, suite);
  pugi::xml_node node = suites.append_child("testsuite");
  set(node, "name", suite.target);
  set_counts(node, suite);
  set(node, "skipped", std::to_string(suite.count(CaseEnd::skipped)));
  // Without fraction and zone, which the schema does not know: all our times are UTC.
  set(node, "timestamp", std::string_view(suite.started_at).substr(0, 19));
  pugi::xml_node properties = node.append_child("properties");
  for (const auto& [name, value] : suite.properties) {
    pugi::xml_node property = properties.append_child("property");
    set(property, "name", name);
    set(property, "value", value);
  }
  for (const ReportCase& one : suite.cases) {
    add_case(node, suite, one);
  }
  node.append_child("system-out").text().set(xml_text(suite.conclusion).c_str());
  std::ostringstream text;
  document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  return text.str();
}

}  // namespace hone
