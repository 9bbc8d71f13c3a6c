# A room is a folder with one idea and the library that it makes. Its headers are found by the room's name
# ("ring/engine.h"; those of cuda, mpi and io by the folder's as well: "io/table/table.h"), and only in rooms that are
# built on it: a wrong arrow does not compile.
#
#   hb_room(FOLDER SOURCES file... USES room...)
#
# makes target hb_FOLDER, with _ for each / and without the "src/" or "jobs/" that includes leave out too: hb_ring,
# hb_io_table, hb_batch. USES: such names; whoever uses a room may also include what it is built on.
function(hb_room folder)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES" ${ARGN})
  string(REGEX REPLACE "^(src|jobs)/" "" name ${folder})
  string(REPLACE "/" "_" target ${name})
  # A folder of its own to search, in which nothing but this room is seen.
  set(root ${PROJECT_BINARY_DIR}/include/${target})
  get_filename_component(parent ${root}/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${root}/${name} SYMBOLIC)
  list(TRANSFORM ROOM_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/${folder}/ REGEX "^[^/]")
  add_library(hb_${target} STATIC ${ROOM_SOURCES})
  target_include_directories(hb_${target} PUBLIC ${root})
  list(TRANSFORM ROOM_USES PREPEND hb_)
  target_link_libraries(hb_${target} PUBLIC ${ROOM_USES} PRIVATE hb_flags)
endfunction()
