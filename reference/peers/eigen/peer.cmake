# Eigen: headers alone, compiled for two instruction sets.
# Debian: libeigen3-dev
find_path(EIGEN_INCLUDE Eigen/Core PATH_SUFFIXES eigen3)
if(EIGEN_INCLUDE AND OpenMP_CXX_FOUND AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  file(STRINGS "${EIGEN_INCLUDE}/Eigen/src/Core/util/Macros.h" lines
       REGEX "define EIGEN_(WORLD|MAJOR|MINOR)_VERSION")
  string(REGEX REPLACE "[^0-9]*([0-9]+)[^0-9]*([0-9]+)[^0-9]*([0-9]+).*" "\\1.\\2.\\3" eigen_version
                       "${lines}")
  set(here "${CMAKE_CURRENT_LIST_DIR}")
  set_source_files_properties("${here}/eigen.cpp" PROPERTIES COMPILE_DEFINITIONS
                                                             "NSOP_EIGEN_VERSION=\"${eigen_version}\"")
  # The namespace under another name: see table.h. GCC 12 warns of its own intrinsics.
  set(eigen_flags -fopenmp -Wno-uninitialized -Wno-maybe-uninitialized)
  set_source_files_properties(
    "${here}/avx2.cpp" PROPERTIES COMPILE_OPTIONS "-march=x86-64-v3;${eigen_flags};-DEigen=EigenAvx2")
  set_source_files_properties(
    "${here}/avx512.cpp" PROPERTIES COMPILE_OPTIONS "-march=x86-64-v4;${eigen_flags};-DEigen=EigenAvx512")
  # Nothing read before: other instructions, another name of the namespace.
  set_source_files_properties("${here}/avx2.cpp" "${here}/avx512.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  nsop_peer(eigen INCLUDE "${EIGEN_INCLUDE}" LIBRARIES OpenMP::OpenMP_CXX)
else()
  message(STATUS "Peers: eigen not found")
endif()
