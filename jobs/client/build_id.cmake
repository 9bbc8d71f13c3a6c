# Writes the identity that the linker gave to PROGRAM to HEADER, by READELF: cmake -DPROGRAM=.. -DREADELF=.. -DHEADER=.. -P
# build_id.cmake. "" where it gave none, as hb_build_id says then.
execute_process(COMMAND ${READELF} -n ${PROGRAM} OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "Build ID: ([0-9a-f]+)" found "${notes}")
set(text "/* Of the hebatch that this was built with. */\n#define HEBATCH_BUILD_ID \"${CMAKE_MATCH_1}\"\n")
file(WRITE ${HEADER} "${text}")
