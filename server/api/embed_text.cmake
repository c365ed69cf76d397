# cmake -DINPUT=file -DOUTPUT=file.cc -DFUNCTION=name -P embed_text.cmake
# Writes a source file whose function hone::FUNCTION() gives the text of INPUT.
file(READ ${INPUT} text)
string(LENGTH "${text}" length)
# Literals have a limit of 65536 characters in the standard: neighbours are joined by the compiler.
set(literals "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 8000 piece)
  string(APPEND literals "    R\"embedded(${piece})embedded\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(
  WRITE ${OUTPUT}
  "#include <string_view>\n\nnamespace hone {\n\nstd::string_view ${FUNCTION}() {\n  return\n${literals}      ;\n}\n\n}  // namespace hone\n")
