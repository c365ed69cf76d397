#include "tests/unit/server/store/migration_rules.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

namespace hone::test {
namespace {

struct Statement {
  std::string text;  // one line, blanks narrowed; strings and function bodies are empty
  bool has_reason = false;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The end of the literal, quoted name, dollar-quoted body or comment that begins at `at`; `at` if
// none does.
std::size_t skip_quoted(std::string_view sql, std::size_t at) {
  const auto behind = [&](std::string_view end, std::size_t from) {
    const std::size_t found = sql.find(end, from);
    return found == std::string_view::npos ? sql.size() : found + end.size();
  };
  if (sql.substr(at).starts_with("--")) {
    return std::min(sql.find('\n', at), sql.size());
  }
  if (sql.substr(at).starts_with("/*")) {
    return behind("*/", at + 2);
  }
  if (sql[at] == '\'' || sql[at] == '"') {
    return behind(std::string(1, sql[at]), at + 1);
  }
  if (sql[at] == '$' && (at == 0 || !is_word(sql[at - 1]))) {
    std::size_t end = at + 1;
    while (end < sql.size() && is_word(sql[end])) {
      ++end;
    }
    if (end < sql.size() && sql[end] == '$') {
      return behind(sql.substr(at, end + 1 - at), end + 1);
    }
  }
  return at;
}

std::vector<Statement> statements_of(std::string_view sql) {
  std::vector<Statement> statements;
  Statement current;
  const auto finish = [&] {
    if (!current.text.empty()) {
      statements.push_back(std::move(current));
    }
    current = Statement();
  };
  for (std::size_t at = 0; at < sql.size();) {
    const std::size_t end = skip_quoted(sql, at);
    if (end != at) {
      const bool comment = sql[at] == '-' || sql[at] == '/';
      if (comment && sql.substr(at, end - at).find("The release before: ") != std::string::npos) {
        current.has_reason = true;
      } else if (sql[at] == '"') {
        current.text += sql.substr(at + 1, end - at - 2);
      } else if (!comment) {
        current.text += "''";
      }
      at = end;
      continue;
    }
    const char c = sql[at++];
    if (c == ';') {
      finish();
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      current.text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!current.text.empty() && !current.text.ends_with(' ')) {
      current.text += ' ';
    }
  }
  finish();
  return statements;
}

// The parts of a list, split at commas outside of parentheses.
std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool has(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

std::string why_of_alteration(const std::string& action, std::set<std::string>& new_columns) {
  if (has(action, R"(\brename\b)")) {
    return "renames";
  }
  if (has(action, R"(\bdrop (?!default\b|expression\b|identity\b))")) {
    return "drops";
  }
  if (has(action, R"(\balter (column )?\w+ (set data )?type\b)")) {
    return "changes a column's type";
  }
  if (has(action, R"(\bset not null\b)")) {
    return "makes a column NOT NULL that old statements may leave empty";
  }
  std::smatch match;
  if (std::regex_search(action, match, std::regex(R"(\badd (column )?(if not exists )?(\w+) )")) &&
      !has(action, R"(\badd (constraint|primary|unique|check|foreign|exclude)\b)")) {
    new_columns.insert(match[3]);
    if (has(action, R"(\bnot null\b|\bprimary key\b)") &&
        !has(action, R"(\bdefault\b|\bgenerated\b)")) {
      return "adds a column that is NOT NULL without a default: old statements do not fill it";
    }
    return "";
  }
  if (has(action, R"(\badd (constraint \w+ )?(primary|unique|check|foreign|exclude)\b)")) {
    const bool of_new_columns = std::ranges::any_of(new_columns, [&](const std::string& column) {
      return has(action, "\\b" + column + "\\b");
    });
    return of_new_columns ? "" : "adds a constraint that old statements may not keep";
  }
  return "";
}

}  // namespace

std::vector<std::string> broken_rules(std::string_view sql) {
  std::vector<std::string> broken;
  std::set<std::string> new_tables;
  std::set<std::string> new_columns;
  for (const Statement& statement : statements_of(sql)) {
    const std::string& text = statement.text;
    std::smatch match;
    std::string why;
    if (std::regex_search(text, match, std::regex(R"(^create table (if not exists )?([\w.]+))"))) {
      new_tables.insert(match[2]);
    } else if (std::regex_search(
                   text, match,
                   std::regex(R"(^alter table (if exists )?(only )?([\w.]+) (.*)$)"))) {
      if (!new_tables.contains(match[3])) {
        for (const std::string& action : parts_of(match[4])) {
          const std::string found = why_of_alteration(" " + action, new_columns);
          why = why.empty() ? found : why;
        }
      }
    } else if (has(text, R"(^alter \w+ .*\brename\b)")) {
      why = "renames";
    } else if (std::regex_search(text, match,
                                 std::regex(R"(^create unique index \w+ on (only )?([\w.]+))"))) {
      if (!new_tables.contains(match[2])) {
        why = "adds a unique index that old statements may not keep";
      }
    } else if (has(text, R"(^drop (table|view|materialized|type|domain|schema|sequence|function|)"
                         R"(procedure|index|trigger|column)\b)")) {
      why = "drops";
    } else if (has(text, R"(^truncate\b)")) {
      why = "empties a table";
    } else if (has(text, R"(^do\b)")) {
      why = "runs code that this check cannot read";
    }
    if (!why.empty() && !statement.has_reason) {
      broken.push_back(why + ": " + text);
    }
  }
  return broken;
}

}  // namespace hone::test
