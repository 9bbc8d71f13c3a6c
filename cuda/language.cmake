# Looks for nvcc. Included by the topmost CMakeLists.txt: a language has to be enabled above every target that links its
# code. HEBATCH_NVCC: whether there is one.
set(HEBATCH_NVCC OFF)
if(HEBATCH_CUDA STREQUAL "OFF")
  return()
endif()

include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
  set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc) # where NVIDIA's packages put it, often outside PATH
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90) # code for A100 and H100/H200, PTX of the newer for what comes after
endif()
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static) # the program starts on machines without CUDA
  set(HEBATCH_NVCC ON)
elseif(HEBATCH_CUDA STREQUAL "ON")
  message(FATAL_ERROR "HEBATCH_CUDA=ON but no nvcc works here: put it on PATH, or set CMAKE_CUDA_COMPILER")
else()
  message(STATUS "no nvcc: built without the CUDA engine")
endif()
