# Writes a C file with the language reference in it: cmake -DFROM=README.md -DTO=language.c -P language.cmake
#
# What people write expressions by, of the README; what follows its last heading below is for who works on the program.
set(END "\n# From text to instructions\n")
file(READ ${FROM} text)
string(FIND "${text}" "${END}" length)
if(length LESS 0)
  message(FATAL_ERROR "${FROM} has no heading '# From text to instructions': where does the language reference end?")
endif()
file(READ ${FROM} bytes LIMIT ${length} HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${TO} "#include \"lang/text/language.h\"\n\nconst char hb_language[] = {\n${bytes}'\\n', 0};\n")
