# Writes a C file with the pages of the language in it: cmake -DFROM=pages -DTO=language.c -P language.cmake
#
# `language` is README.md, the others have the names of their files. functions.md is not among them: it is what the rows
# of the functions say (lang/functions/page.h).
file(GLOB pages RELATIVE ${FROM} ${FROM}/*.md)
list(REMOVE_ITEM pages README.md functions.md)
list(SORT pages)
list(PREPEND pages README.md)
set(texts "")
set(rows "")
foreach(page ${pages})
  string(REPLACE ".md" "" name ${page})
  string(REPLACE "README" "language" name ${name})
  file(READ ${FROM}/${page} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND texts "static const char page_${name}[] = {\n${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", page_${name}},\n")
endforeach()
file(WRITE ${TO} "#include \"lang/text/language.h\"\n\n${texts}\nconst hb_page hb_language_pages[] = {\n${rows}    {0}};\n")
