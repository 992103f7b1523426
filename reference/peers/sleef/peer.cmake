# SLEEF: functions of vectors, the 1.0 ULP ones.
# Debian: libsleef-dev
find_path(SLEEF_INCLUDE sleef.h)
find_library(SLEEF_LIBRARY sleef)
if(SLEEF_INCLUDE AND SLEEF_LIBRARY AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  nsop_peer(sleef INCLUDE "${SLEEF_INCLUDE}" LIBRARIES "${SLEEF_LIBRARY}")
else()
  message(STATUS "Peers: sleef not found")
endif()
