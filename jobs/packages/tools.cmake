# Read by cpack before it makes a package: without these programs it makes none, or one that names no libraries it needs.
if(CPACK_GENERATOR MATCHES "DEB")
  foreach(program dpkg-deb dpkg-shlibdeps file)
    find_program(found_${program} ${program})
    if(NOT found_${program})
      message(FATAL_ERROR "cpack -G DEB needs ${program}: jobs/install-dependencies --package installs it")
    endif()
  endforeach()
endif()
