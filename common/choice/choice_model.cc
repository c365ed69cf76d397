#include "common/choice/choice_model.h"

#include <charconv>
#include <limits>

namespace hone {
namespace {

constexpr std::string_view kFirst = "choice 1";

// Digits alone, without a leading zero: one number has one spelling.
bool read_number(std::string_view text, std::int64_t most, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 &&
         number <= most && (text.size() == 1 || text.front() != '0');
}

// The next piece of `text` up to `divider`, and what is left of it.
std::string_view take(std::string_view& text, char divider) {
  const std::size_t at = text.find(divider);
  const std::string_view piece = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return piece;
}

class Parser {
 public:
  Parser(std::string_view text, ChoiceModel& model) : text_(text), model_(model) {}

  std::string parse() {
    if (text_.size() > kMaxChoiceBytes) {
      return "it has " + std::to_string(text_.size()) + " bytes, at most " +
             std::to_string(kMaxChoiceBytes) + " are read";
    }
    for (const char c : text_) {
      if (c < ' ' || c > '~') {
        return "it holds a byte that is not printable ASCII";
      }
    }
    if (text_.ends_with('|')) {
      return "a part behind the last '|' is missing";
    }
    for (std::size_t part = 0; !text_.empty() && problem_.empty(); ++part) {
      const std::string_view whole = take(text_, '|');
      read_part(part, whole);
      if (!problem_.empty()) {
        return "part " + std::to_string(part + 1) + " (\"" + std::string(whole.substr(0, 80)) +
               "\") " + problem_;
      }
    }
    return check_whole();
  }

 private:
  void read_part(std::size_t part, std::string_view whole) {
    std::string_view rest = whole;
    const std::string_view word = take(rest, ' ');
    std::int64_t number = 0;
    if (whole.ends_with(' ')) {
      problem_ = "must not end in a blank";
    } else if (part == 0) {
      problem_ = whole == kFirst ? "" : "must be \"choice 1\"";
    } else if (part == 1) {
      if (word != "clang" || !read_number(rest, 999, number)) {
        problem_ = "must be \"clang\" and a major version";
      }
      model_.compiler_major = static_cast<int>(number);
    } else if (part == 2) {
      if (word != "features" || !read_number(rest, 999, number) || number != kChoiceSchema) {
        problem_ = "must be \"features " + std::to_string(kChoiceSchema) + "\"";
      }
    } else if (word == "member") {
      read_member(rest);
    } else if (word == "knob") {
      read_knob(rest);
    } else if (word == "split" || word == "leaf") {
      read_node(word == "leaf", rest);
    } else {
      problem_ = "must begin with member, knob, split or leaf";
    }
  }

  void read_member(std::string_view pipeline) {
    if (!model_.nodes.empty()) {
      problem_ = "must stand before the first node";
    } else if (pipeline.empty() || pipeline.find(' ') != std::string_view::npos) {
      problem_ = "must have a pipeline without blanks";
    } else if (model_.members.size() == kMaxChoiceMembers) {
      problem_ = "is one member too many, there may be " + std::to_string(kMaxChoiceMembers);
    } else {
      model_.members.push_back({std::string(pipeline), {}});
    }
  }

  void read_knob(std::string_view rest) {
    const std::string_view name = take(rest, ' ');
    if (model_.members.empty() || !model_.nodes.empty()) {
      problem_ = "must stand behind its member";
    } else if (model_.members.back().knobs.size() == kMaxChoiceKnobs) {
      problem_ = "is one knob too many, there may be " + std::to_string(kMaxChoiceKnobs);
    } else if (name.empty() || rest.empty() || rest.find(' ') != std::string_view::npos) {
      problem_ = "must have a name and a value";
    } else {
      model_.members.back().knobs.push_back({std::string(name), std::string(rest)});
    }
  }

  void read_node(bool is_leaf, std::string_view rest) {
    ChoiceNode node;
    node.is_leaf = is_leaf;
    std::int64_t number = 0;
    const auto read = [&](std::int64_t most) {
      const bool read_one = read_number(take(rest, ' '), most, number);
      return read_one ? number : -1;
    };
    bool right = model_.nodes.size() < kMaxChoiceNodes;
    if (is_leaf) {
      const std::int64_t member = read(static_cast<std::int64_t>(model_.members.size()) - 1);
      right = right && member >= 0;
      node.member = static_cast<std::uint32_t>(member);
    } else {
      const std::int64_t feature = read(static_cast<std::int64_t>(kChoiceFeatureCount) - 1);
      node.threshold = read(std::numeric_limits<std::int64_t>::max());
      const std::int64_t less = read(kMaxChoiceNodes - 1);
      const std::int64_t other = read(kMaxChoiceNodes - 1);
      const auto own = static_cast<std::int64_t>(model_.nodes.size());
      right = right && feature >= 0 && node.threshold >= 0 && less > own && other > own;
      node.feature = static_cast<std::uint32_t>(feature);
      node.less = static_cast<std::uint32_t>(less);
      node.other = static_cast<std::uint32_t>(other);
    }
    if (!right || !rest.empty()) {
      problem_ = is_leaf ? "must have a member's number"
                         : "must have a feature, a threshold and two nodes behind it";
      return;
    }
    model_.nodes.push_back(node);
  }

  std::string check_whole() const {
    if (model_.members.empty() || model_.nodes.empty()) {
      return "it has no members or no nodes";
    }
    const ChoiceMember& plain = model_.members.front();
    if (!plain.pipeline.starts_with("default<") ||
        plain.pipeline.find('>') != plain.pipeline.size() - 1 || !plain.knobs.empty()) {
      return "its first member must be the compiler's own pipeline, default<...> alone";
    }
    for (const ChoiceNode& node : model_.nodes) {
      if (!node.is_leaf &&
          (node.less >= model_.nodes.size() || node.other >= model_.nodes.size())) {
        return "a split leads to a node that is not there";
      }
    }
    return "";
  }

  std::string_view text_;
  ChoiceModel& model_;
  std::string problem_;
};

}  // namespace

std::string parse_choice(std::string_view text, ChoiceModel& model) {
  model = ChoiceModel();
  return Parser(text, model).parse();
}

std::string print_choice(const ChoiceModel& model) {
  std::string text(kFirst);
  text += "|clang " + std::to_string(model.compiler_major);
  text += "|features " + std::to_string(kChoiceSchema);
  for (const ChoiceMember& member : model.members) {
    text += "|member " + member.pipeline;
    for (const ChoiceKnob& knob : member.knobs) {
      text += "|knob " + knob.name + " " + knob.value;
    }
  }
  for (const ChoiceNode& node : model.nodes) {
    text += node.is_leaf
                ? "|leaf " + std::to_string(node.member)
                : "|split " + std::to_string(node.feature) + " " + std::to_string(node.threshold) +
                      " " + std::to_string(node.less) + " " + std::to_string(node.other);
  }
  return text;
}

std::uint32_t choose_member(const ChoiceModel& model, const ChoiceFeatures& features) {
  std::size_t at = 0;
  while (!model.nodes[at].is_leaf) {
    const ChoiceNode& node = model.nodes[at];
    at = features[node.feature] < node.threshold ? node.less : node.other;
  }
  return model.nodes[at].member;
}

}  // namespace hone
