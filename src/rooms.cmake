# A room is a folder with one idea and the library that it makes. Its headers are found by the room's name
# ("ring/engine.h"; those of cuda, mpi and io by the folder's as well: "io/table/table.h"), and only in rooms that are
# built on it: a wrong arrow does not compile.
#
#   hb_room(FOLDER SOURCES file... USES room...)
#
# makes target hb_FOLDER, with _ for each / and without the "src/" or "jobs/" that includes leave out too: hb_ring,
# hb_io_table, hb_batch. USES: such names; anyone who uses a room may also include what it is built on.

# hb_expose(TARGET FOLDER NAME): anyone who uses the target finds the folder's headers as "NAME/...", and no others. They
# are found in a folder of its own to search, in which nothing else is.
function(hb_expose target folder name)
  set(root ${PROJECT_BINARY_DIR}/include/${target})
  get_filename_component(parent ${root}/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${root}/${name} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root})
endfunction()

function(hb_room folder)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES" ${ARGN})
  string(REGEX REPLACE "^(src|jobs)/" "" name ${folder})
  string(REPLACE "/" "_" target hb_${name})
  list(TRANSFORM ROOM_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/${folder}/ REGEX "^[^/]")
  add_library(${target} STATIC ${ROOM_SOURCES})
  hb_expose(${target} ${folder} ${name})
  list(TRANSFORM ROOM_USES PREPEND hb_)
  target_link_libraries(${target} PUBLIC ${ROOM_USES} PRIVATE hb_flags)
endfunction()
