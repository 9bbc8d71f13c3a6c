# Writes a C file with the list of functions, and a header with their rows: cmake "-DFROM=FILE;..." -DTO=list.c
# -DROWS=rows.h -P functions.cmake
#
# A function is a row that begins a line of such a file: const hb_lang_function hb_lang_function_NAME =
set(names)
foreach(file ${FROM})
  file(STRINGS ${file} rows REGEX "^const hb_lang_function hb_lang_function_[a-z0-9_]+ = ")
  foreach(row ${rows})
    string(REGEX REPLACE "^const hb_lang_function hb_lang_function_([a-z0-9_]+) = .*" "\\1" name "${row}")
    list(APPEND names ${name})
  endforeach()
endforeach()
list(SORT names)
set(declared)
set(listed)
foreach(name ${names})
  string(APPEND declared "extern const hb_lang_function hb_lang_function_${name};\n")
  string(APPEND listed "    &hb_lang_function_${name}.call,\n")
endforeach()
file(WRITE ${ROWS} "#include \"lang/types/lang_function.h\"\n\n${declared}")
file(WRITE ${TO} "#include \"lang/functions/list.h\"\n\n#include \"rows.h\"\n\n"
  "const hb_signature *const hb_lang_functions[] = {\n${listed}    NULL,\n};\n")
