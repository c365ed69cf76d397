#include "common/pipelines/forest.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "common/base/text.h"

namespace hone {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool is_parameter_character(char c) {
  return c > ' ' && c <= '~' && c != '(' && c != ')' && c != ',';
}

// Recursive descent. The depth limit bounds the recursion, the others bound the work.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Forest> parse() {
    Forest forest;
    skip_blanks();
    if (at_end()) {
      return forest;
    }
    HONE_TRY(forest.nodes, parse_list(1));
    if (!at_end()) {
      return expected("',' or the end");
    }
    return forest;
  }

 private:
  Result<std::vector<PipelineNode>> parse_list(std::size_t depth) {
    std::vector<PipelineNode> nodes;
    for (;;) {
      HONE_TRY(PipelineNode node, parse_node(depth));
      nodes.push_back(std::move(node));
      if (!take(',')) {
        return nodes;
      }
    }
  }

  Result<PipelineNode> parse_node(std::size_t depth) {
    if (depth > kMaxPipelineDepth) {
      return fail(ErrorCode::too_large, "the pipeline nests deeper than " +
                                            std::to_string(kMaxPipelineDepth) + " levels at byte " +
                                            position());
    }
    if (++count_ > kMaxPipelineNodes) {
      return fail(ErrorCode::too_large, "the pipeline has more than " +
                                            std::to_string(kMaxPipelineNodes) + " nodes at byte " +
                                            position());
    }
    PipelineNode node;
    skip_blanks();
    const std::size_t start = next_;
    while (!at_end() && is_name_character(text_[next_])) {
      ++next_;
    }
    if (next_ == start) {
      return expected("a pass name");
    }
    node.name = text_.substr(start, next_ - start);
    skip_blanks();
    if (take('<')) {
      HONE_TRY(node.parameters, parse_parameters());
    }
    if (take('(')) {
      node.nested = true;
      if (!take(')')) {
        HONE_TRY(node.children, parse_list(depth + 1));
        if (!take(')')) {
          return expected("',' or ')'");
        }
      }
    }
    return node;
  }

  // What stands up to the '>' that closes the '<' just taken, blanks left out.
  Result<std::string> parse_parameters() {
    std::string parameters;
    std::size_t open = 1;
    for (; !at_end(); ++next_) {
      const char c = text_[next_];
      if (is_blank(c)) {
        continue;
      }
      if (!is_parameter_character(c)) {
        return expected("parameters or '>'");
      }
      open += c == '<' ? 1U : 0U;
      open -= c == '>' ? 1U : 0U;
      if (open == 0) {
        ++next_;
        skip_blanks();
        return parameters;
      }
      parameters.push_back(c);
    }
    return expected("'>'");
  }

  bool at_end() const { return next_ == text_.size(); }

  void skip_blanks() {
    while (!at_end() && is_blank(text_[next_])) {
      ++next_;
    }
  }

  // Steps over `token` and the blanks after it, if it is next. Blanks before it are gone already.
  bool take(char token) {
    if (at_end() || text_[next_] != token) {
      return false;
    }
    ++next_;
    skip_blanks();
    return true;
  }

  std::string position() const { return std::to_string(next_ + 1); }

  Error expected(std::string_view what) const {
    std::string message = "the pipeline has ";
    if (at_end()) {
      message += "its end";
    } else if (const char c = text_[next_]; c > ' ' && c <= '~') {
      message += std::string("'") + c + "'";
    } else {
      message += "a blank or a byte outside ASCII";
    }
    message += " at byte " + position() + " where " + std::string(what) + " was expected";
    return fail(ErrorCode::invalid_argument, std::move(message));
  }

  std::string_view text_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

void append(std::string& text, const std::vector<PipelineNode>& nodes);

void append(std::string& text, const PipelineNode& node) {
  text += node.name;
  if (node.parameters) {
    text += '<';
    text += *node.parameters;
    text += '>';
  }
  if (node.nested) {
    text += '(';
    append(text, node.children);
    text += ')';
  }
}

void append(std::string& text, const std::vector<PipelineNode>& nodes) {
  bool first = true;
  for (const PipelineNode& node : nodes) {
    if (!first) {
      text += ',';
    }
    first = false;
    append(text, node);
  }
}

std::size_t count_passes_of(const std::vector<PipelineNode>& nodes) {
  std::size_t count = 0;
  for (const PipelineNode& node : nodes) {
    count += node.nested ? count_passes_of(node.children) : 1;
  }
  return count;
}

// The kind of pass manager whose passes `name` lists, as far as flattening is concerned: devirt
// runs a manager of its own for cgscc passes. Loop managers nest for real and are left alone.
std::string_view manager_of(std::string_view name) {
  return name == "devirt" ? "cgscc" : name;
}

bool is_flattened_into(const PipelineNode& inner, std::string_view outer_name) {
  return inner.nested && !inner.parameters && inner.name == manager_of(outer_name) &&
         (inner.name == "module" || inner.name == "cgscc" || inner.name == "function");
}

void canonicalize_parameters(std::optional<std::string>& parameters) {
  if (!parameters) {
    return;
  }
  std::erase_if(*parameters, is_blank);
  // Of "a;;" the second ';' ends an empty option, which LLVM does not take for none.
  if (parameters->size() > 1 && parameters->back() == ';' &&
      (*parameters)[parameters->size() - 2] != ';') {
    parameters->pop_back();
  }
  if (parameters->empty()) {
    parameters.reset();
  }
}

std::vector<PipelineNode> canonicalize(std::vector<PipelineNode> nodes,
                                       std::string_view outer_name) {
  std::vector<PipelineNode> result;
  result.reserve(nodes.size());
  for (PipelineNode& node : nodes) {
    canonicalize_parameters(node.parameters);
    if (node.nested) {
      node.children = canonicalize(std::move(node.children), node.name);
      if (node.children.empty()) {
        continue;
      }
    }
    if (is_flattened_into(node, outer_name)) {
      std::move(node.children.begin(), node.children.end(), std::back_inserter(result));
    } else {
      result.push_back(std::move(node));
    }
  }
  return result;
}

}  // namespace

Result<Forest> parse_pipeline(std::string_view text) {
  if (text.size() > kMaxPipelineBytes) {
    return fail(ErrorCode::too_large, "the pipeline text has " + std::to_string(text.size()) +
                                          " bytes, more than " + std::to_string(kMaxPipelineBytes));
  }
  return Parser(text).parse();
}

std::string print(const Forest& forest) {
  std::string text;
  append(text, forest.nodes);
  return text;
}

std::string print(const PipelineNode& node) {
  std::string text;
  append(text, node);
  return text;
}

std::size_t count_passes(const Forest& forest) {
  return count_passes_of(forest.nodes);
}

Forest canonical(Forest forest) {
  forest.nodes = canonicalize(std::move(forest.nodes), "module");
  return forest;
}

Hash128 pipeline_hash(const Forest& forest) {
  return hash128(print(canonical(forest)));
}

Result<Hash128> pipeline_hash(std::string_view text) {
  HONE_TRY(const Forest forest, parse_pipeline(text));
  return pipeline_hash(forest);
}

std::string_view default_level(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kLevels = {"O1", "O2", "O3", "Os", "Oz"};
  static constexpr std::string_view kPrefix = "default<";
  std::string_view level = trim(text);
  if (!level.starts_with(kPrefix) || !level.ends_with('>')) {
    return {};
  }
  level.remove_prefix(kPrefix.size());
  level.remove_suffix(1);
  const auto* const known = std::ranges::find(kLevels, level);
  return known == kLevels.end() ? std::string_view() : *known;
}

bool is_default(std::string_view text) {
  return !default_level(text).empty();
}

}  // namespace hone
