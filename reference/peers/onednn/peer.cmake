# oneDNN, and the threads that its OpenMP runtime starts.
# Debian: libdnnl-dev libgomp1
find_path(DNNL_INCLUDE oneapi/dnnl/dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)
if(DNNL_INCLUDE AND DNNL_LIBRARY AND OpenMP_CXX_FOUND)
  nsop_peer(onednn INCLUDE "${DNNL_INCLUDE}" LIBRARIES "${DNNL_LIBRARY}" OpenMP::OpenMP_CXX)
else()
  message(STATUS "Peers: onednn not found")
endif()
