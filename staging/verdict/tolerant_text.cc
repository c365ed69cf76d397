#include "staging/verdict/tolerant_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace hone {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Whether the text goes on with the word, in letters of either size, and the word ends there.
bool has_word(std::string_view text, std::string_view word) {
  const bool equal = text.size() >= word.size() &&
                     std::equal(word.begin(), word.end(), text.begin(), [](char wanted, char c) {
                       return wanted == c || wanted - 'a' + 'A' == c;
                     });
  return equal && (text.size() == word.size() ||
                   (!is_letter(text[word.size()]) && !is_digit(text[word.size()])));
}

std::size_t digits(std::string_view text, std::size_t at) {
  const std::size_t start = at;
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  return at - start;
}

// How many characters the number has that the text begins with; 0 if it begins with none.
std::size_t number_size(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  for (const std::string_view word : {"nan", "infinity", "inf"}) {
    if (has_word(text.substr(at), word)) {
      return at + word.size();
    }
  }
  const std::size_t whole = digits(text, at);
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits(text, at + 1);
    if (whole == 0 && fraction == 0) {
      return 0;
    }
    at += 1 + fraction;
  } else if (whole == 0) {
    return 0;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) {
      ++exponent;
    }
    const std::size_t size = digits(text, exponent);
    at = size > 0 ? exponent + size : at;
  }
  return at;
}

double value_of(std::string_view number) {
  if (number.front() == '+') {
    number.remove_prefix(1);
  }
  double value = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (problem == std::errc()) {
    return value;
  }
  return std::strtod(std::string(number).c_str(), nullptr);  // too large or too small: inf or 0
}

bool agree(std::string_view reference, std::string_view made, const Tolerance& tolerance) {
  if (reference == made) {
    return true;
  }
  const double a = value_of(reference);
  const double b = value_of(made);
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b);
  }
  if (std::isinf(a) || std::isinf(b)) {
    return a == b;
  }
  const double farther = std::max(std::fabs(a), std::fabs(b));
  return std::fabs(a - b) <= std::max(tolerance.absolute, tolerance.relative * farther);
}

struct Token {
  enum class Kind { number, other, line_end, end };
  Kind kind = Kind::end;
  bool after_blank = false;
  std::size_t at = 0;
  std::string_view text;
};

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  Token next() {
    Token token;
    while (at_ < text_.size() && is_blank(text_[at_])) {
      ++at_;
      token.after_blank = true;
    }
    token.at = at_;
    if (at_ == text_.size()) {
      return token;
    }
    if (text_[at_] == '\n') {
      ++at_;
      token.kind = Token::Kind::line_end;
    } else if (const std::size_t size = number_here(); size > 0) {
      at_ += size;
      token.kind = Token::Kind::number;
    } else {
      do {
        ++at_;
      } while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '\n' &&
               number_here() == 0);
      token.kind = Token::Kind::other;
    }
    token.text = text_.substr(token.at, at_ - token.at);
    return token;
  }

 private:
  std::size_t number_here() const {
    const char before = at_ > 0 ? text_[at_ - 1] : ' ';
    const bool in_word = is_letter(before) || is_digit(before) || before == '.';
    return in_word ? 0 : number_size(text_.substr(at_));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool agree(const Token& reference, const Token& made, const Tolerance& tolerance) {
  if (reference.kind != made.kind) {
    return false;
  }
  switch (made.kind) {
    case Token::Kind::number:
      return agree(reference.text, made.text, tolerance);
    case Token::Kind::other:
      return reference.text == made.text && reference.after_blank == made.after_blank;
    case Token::Kind::line_end:
    case Token::Kind::end:
      return true;
  }
  return false;
}

}  // namespace

std::optional<TextMismatch> find_mismatch(std::string_view reference, std::string_view made,
                                          const Tolerance& tolerance) {
  Tokens theirs(reference);
  Tokens ours(made);
  while (true) {
    const Token expected = theirs.next();
    const Token found = ours.next();
    if (!agree(expected, found, tolerance)) {
      return TextMismatch{expected.at, found.at};
    }
    if (found.kind == Token::Kind::end) {
      return std::nullopt;
    }
  }
}

}  // namespace hone
