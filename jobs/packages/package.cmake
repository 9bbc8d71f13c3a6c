# Files of a package besides the programs and their documents, and the Debian package: cpack -G DEB in the build folder.
foreach(name hebatch hebatch-client) # a shell looks for a file of the command's name
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/hebatch.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${name})
endforeach()
install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(CPACK_PACKAGE_CONTACT "the maintainers of hebatch <hebatch@localhost>" CACHE STRING "who answers for the package")
# Debian looks for changes in this file. It is made as it is installed, so that installing needs nothing built but hebatch.
install(CODE "
  set(changes \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/changelog.gz\")
  execute_process(COMMAND \"${CMAKE_CURRENT_LIST_DIR}/changelog\" \"${PROJECT_SOURCE_DIR}/CHANGELOG.md\"
      \"${CPACK_PACKAGE_CONTACT}\" COMMAND gzip -9nc OUTPUT_FILE \"\${changes}\" COMMAND_ERROR_IS_FATAL ANY)")
# By the program that is installed, which says what it can do: nothing else lists its options. Another machine's cannot run.
if(NOT CMAKE_CROSSCOMPILING)
  install(CODE "
    execute_process(COMMAND \"${CMAKE_CURRENT_LIST_DIR}/manual\" \"$<TARGET_FILE:hebatch>\"
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}\" COMMAND_ERROR_IS_FATAL ANY)")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/tools.cmake)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(MPI_C_LIBRARIES MATCHES "mpich") # mpirun of the MPI that it is built with
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "mpich")
else()
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openmpi-bin")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "slurm-client, python3-h5py, python3-numpy")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "It encrypts whole tables, keeps the ciphertexts in HDF5, computes on them
without the key, and decrypts the results, on any number of MPI ranks, with
GPUs where there are any.")
include(CPack)
