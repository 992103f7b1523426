# Libraries of matrix products: one program each, the sources shared.
# Debian: libopenblas-dev libblis-dev libxsmm-dev
# By full path and never through the alternatives system, whose choice may change.
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread openblas-openmp)
if(OPENBLAS_LIBRARY)
  nsop_peer(openblas SOURCES openblas.cpp blas.cpp LIBRARIES "${OPENBLAS_LIBRARY}")
else()
  message(STATUS "Peers: openblas not found")
endif()

find_library(BLIS_LIBRARY blis PATH_SUFFIXES blis-openmp blis-pthread)
if(BLIS_LIBRARY)
  nsop_peer(blis SOURCES blis.cpp blas.cpp LIBRARIES "${BLIS_LIBRARY}")
else()
  message(STATUS "Peers: blis not found")
endif()

# libxsmm generates code for small products. The build of it that needs no BLAS of its own.
find_path(LIBXSMM_INCLUDE libxsmm.h)
find_library(LIBXSMM_LIBRARY xsmm)
find_library(LIBXSMM_NOBLAS_LIBRARY xsmmnoblas)
if(LIBXSMM_INCLUDE AND LIBXSMM_LIBRARY AND LIBXSMM_NOBLAS_LIBRARY)
  nsop_peer(libxsmm SOURCES libxsmm.cpp INCLUDE "${LIBXSMM_INCLUDE}" LIBRARIES "${LIBXSMM_LIBRARY}"
            "${LIBXSMM_NOBLAS_LIBRARY}" ${CMAKE_DL_LIBS} Threads::Threads)
else()
  message(STATUS "Peers: libxsmm not found")
endif()
