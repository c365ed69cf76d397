// The events of yaml-cpp's parser are turned into Json by a stack of open containers. The library's
// own YAML::Load is not used: it keeps duplicate keys and follows aliases.
#include "common/yaml/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/json/pointer.h"
#include "common/yaml/yaml_scalar.h"

namespace hone {
namespace {

// Leaves yaml-cpp's parser; caught in parse_yaml only.
struct Refusal {
  int line;
  std::string detail;
};

int line_of(const YAML::Mark& mark) {
  return mark.line + 1;
}

class Builder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(mark, nullptr);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refusal{line_of(mark), "aliases (*name) are not accepted; write the value out"};
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    if (awaits_key()) {
      take_key(mark, value);
      return;
    }
    if (tag == "!" || tag == "tag:yaml.org,2002:str") {  // quoted, or said to be text
      add(mark, value);
      return;
    }
    refuse_tag(mark, tag);
    Result<Json> scalar = plain_yaml_scalar(value);
    if (!scalar) {
      throw Refusal{line_of(mark), scalar.error().message};
    }
    add(mark, *std::move(scalar));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Json::array());
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Json::object());
  }
  void OnMapEnd() override { close(); }

  YamlDocument take() && { return std::move(document_); }

 private:
  struct Open {
    Json container;
    std::string pointer;
    std::string key;  // of a mapping: read, its value is still to come
    bool has_key = false;
    std::map<std::string, int> key_lines;
  };

  bool awaits_key() const {
    return !open_.empty() && open_.back().container.is_object() && !open_.back().has_key;
  }

  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      throw Refusal{line_of(mark), "anchors (&name) are not accepted; write the value out"};
    }
  }

  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refusal{line_of(mark), "tag '" + tag + "' is not accepted"};
    }
  }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    Open& mapping = open_.back();
    const auto [first, fresh] = mapping.key_lines.emplace(key, line_of(mark));
    if (!fresh) {
      throw Refusal{line_of(mark),
                    fmt::format("key \"{}\" stands twice (first in line {})", key, first->second)};
    }
    if (key == "<<") {
      throw Refusal{line_of(mark), "merge keys (<<) are not accepted; write the values out"};
    }
    mapping.key = key;
    mapping.has_key = true;
    document_.lines.emplace(child_pointer(mapping.pointer, key), line_of(mark));
  }

  std::string next_pointer() const {
    if (open_.empty()) {
      return "";
    }
    const Open& parent = open_.back();
    return child_pointer(parent.pointer, parent.container.is_object()
                                             ? parent.key
                                             : std::to_string(parent.container.size()));
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Json container) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (awaits_key()) {
      throw Refusal{line_of(mark), "a key must be text"};
    }
    if (open_.size() >= static_cast<std::size_t>(kMaxYamlDepth)) {
      throw Refusal{line_of(mark), fmt::format("nested deeper than {} levels", kMaxYamlDepth)};
    }
    std::string pointer = next_pointer();
    document_.lines.emplace(pointer, line_of(mark));
    open_.push_back(Open{std::move(container), std::move(pointer), {}, false, {}});
  }

  void close() {
    Json value = std::move(open_.back().container);
    open_.pop_back();
    place(std::move(value));
  }

  void add(const YAML::Mark& mark, Json value) {
    if (awaits_key()) {
      throw Refusal{line_of(mark), "a key must be text"};
    }
    document_.lines.emplace(next_pointer(), line_of(mark));
    place(std::move(value));
  }

  void place(Json value) {
    if (open_.empty()) {
      document_.value = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.container.is_object()) {
      parent.container[parent.key] = std::move(value);
      parent.has_key = false;
    } else {
      parent.container.push_back(std::move(value));
    }
  }

  YamlDocument document_;
  std::vector<Open> open_;
};

Error refusal(int line, const std::string& detail) {
  return fail(ErrorCode::invalid_argument, fmt::format("line {}: {}", line, detail));
}

}  // namespace

Result<YamlDocument> parse_yaml(std::string_view text) {
  if (text.size() > kMaxYamlBytes) {
    return fail(ErrorCode::too_large,
                fmt::format("{} bytes of YAML, at most {} are read", text.size(), kMaxYamlBytes));
  }
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    Builder builder;
    if (!parser.HandleNextDocument(builder)) {
      return fail(ErrorCode::invalid_argument, "the file is empty");
    }
    Builder second;
    if (parser.HandleNextDocument(second)) {
      return fail(ErrorCode::invalid_argument, "the file holds several documents (---), want one");
    }
    return std::move(builder).take();
  } catch (const Refusal& refused) {
    return refusal(refused.line, refused.detail);
  } catch (const YAML::Exception& error) {
    return error.mark.is_null() ? fail(ErrorCode::invalid_argument, error.msg)
                                : refusal(line_of(error.mark), error.msg);
  }
}

Error with_lines(Error error, const YamlDocument& document) {
  for (FieldProblem& field : error.fields) {
    std::string pointer = field.pointer;
    auto found = document.lines.find(pointer);
    while (found == document.lines.end() && !pointer.empty()) {
      pointer.resize(pointer.rfind('/'));
      found = document.lines.find(pointer);
    }
    if (found != document.lines.end()) {
      field.detail = fmt::format("line {}: {}", found->second, field.detail);
    }
  }
  return error;
}

}  // namespace hone
