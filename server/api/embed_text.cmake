# cmake -DINPUT=file -DOUTPUT=file.cc -DFUNCTION=name -P embed_text.cmake
# Writes a source file whose function hone::FUNCTION() gives the text of INPUT.
file(READ ${INPUT} text)
string(LENGTH "${text}" length)
# A literal, also one joined from neighbours, has at most 65536 characters in the standard.
set(literals "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 8000 piece)
  string(APPEND literals "             std::string_view(R\"embedded(${piece})embedded\"),\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(
  WRITE ${OUTPUT}
  "#include <string>
#include <string_view>

namespace hone {

std::string_view ${FUNCTION}() {
  static const std::string kText = [] {
    std::string text;
    for (const std::string_view piece : {
             std::string_view(),
${literals}         }) {
      text += piece;
    }
    return text;
  }();
  return kText;
}

}  // namespace hone
")
