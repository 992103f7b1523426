# One place for what every target of nsop gets: language level, warnings, sanitizers, coverage.

add_library(nsop_options INTERFACE)
target_compile_features(nsop_options INTERFACE cxx_std_20)
target_compile_options(
  nsop_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror
                         -falign-functions=64
                         "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
target_include_directories(nsop_options INTERFACE "${PROJECT_SOURCE_DIR}")
if(NSOP_SANITIZE)
  # Of the folder, not of nsop_options: these must come before what a target takes back of them.
  add_compile_options(-fsanitize=${NSOP_SANITIZE} -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # it warns of the library's own, instrumented code
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  add_link_options(-fsanitize=${NSOP_SANITIZE})
endif()
if(NSOP_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(NSOP_COVERAGE)
  target_compile_options(nsop_options INTERFACE --coverage -O0)
  target_link_options(nsop_options INTERFACE --coverage)
endif()

# Compiles sources of a target several at a time: most of what the harness and the tests take is
# headers. Names in anonymous namespaces must then differ within a folder. Never for kernels and what
# measures them: where their code lies must not depend on neighbours.
option(NSOP_UNITY "Compile sources of the harness and of tests several at a time" ON)
set(NSOP_UNITY_BATCH 16 CACHE STRING "How many of them at a time at most")
function(nsop_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${NSOP_UNITY} UNITY_BUILD_BATCH_SIZE ${NSOP_UNITY_BATCH})
endfunction()

# Compiles a target of the harness at -O0, where the compiler takes longer than what it saves: its
# tests; and, under a sanitizer, which sees the same, its libraries. Not stats, core and worker, which
# tests keep busy.
function(nsop_quickly_compiled target is_test)
  string(REPLACE "${PROJECT_SOURCE_DIR}/" "" folder "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    return()
  endif()
  if((is_test AND folder MATCHES "^harness/")
     OR (NSOP_SANITIZE AND NOT NSOP_FUZZ AND folder MATCHES "^harness/(cli|judge|report|run|store)"))
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# Reads the headers of the standard library and of other libraries once per set of flags instead of
# once per source, where nothing is measured. Other builds (release, fuzz, clang-tidy) don't: there an
# #include that a source forgot is found.
option(NSOP_PRECOMPILED "Read headers of libraries once for all sources of a Debug build" ON)
function(nsop_precompiled target kind) # kind: code or test
  if(NSOP_PRECOMPILED AND CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT NSOP_FUZZ AND NOT NSOP_COVERAGE)
    # At the end of the folder, when the target has its flags.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL nsop_reuse_headers ${target} ${kind})")
  endif()
endfunction()
function(nsop_reuse_headers target kind)
  get_target_property(flags ${target} COMPILE_OPTIONS)
  if(NOT flags)
    set(flags "")
  endif()
  if(flags MATCHES "-fsanitize") # a program of its own of two sources
    return()
  endif()
  string(MAKE_C_IDENTIFIER "nsop_headers_of_${kind}${flags}" headers)
  if(NOT TARGET ${headers})
    add_library(${headers} OBJECT "${PROJECT_SOURCE_DIR}/tools/cmake/headers.cpp")
    target_link_libraries(${headers} PRIVATE nsop_options fmt::fmt)
    target_compile_options(${headers} PRIVATE ${flags})
    target_precompile_headers(
      ${headers} PRIVATE <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory>
      <numeric> <optional> <random> <set> <span> <stdexcept> <string> <string_view> <utility> <vector>
      <fmt/format.h>)
    if(kind STREQUAL "test")
      target_link_libraries(${headers} PRIVATE GTest::gmock GTest::gtest rapidcheck)
      target_precompile_headers(${headers} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h>)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# nsop_library(NAME [OBJECT] [UNITY] SOURCES ... [DEPS ...]): a library nsop_NAME with alias nsop::NAME.
function(nsop_library name)
  cmake_parse_arguments(ARG "OBJECT;UNITY" "" "SOURCES;DEPS" ${ARGN})
  set(kind STATIC)
  if(ARG_OBJECT)
    set(kind OBJECT)
  endif()
  add_library(nsop_${name} ${kind} ${ARG_SOURCES})
  add_library(nsop::${name} ALIAS nsop_${name})
  target_link_libraries(nsop_${name} PUBLIC nsop_options ${ARG_DEPS})
  if(ARG_UNITY)
    nsop_unity(nsop_${name})
  endif()
  nsop_quickly_compiled(nsop_${name} FALSE)
  nsop_precompiled(nsop_${name} code)
endfunction()

# nsop_test(NAME [UNITY] SOURCES ... [DEPS ...] [TIMEOUT s] [SHARDS n]): a GoogleTest program whose
# tests CTest knows one by one, labelled `single`; and, for tools/test.sh (`ctest -C whole -LE single`),
# as n parts (one, unless SHARDS says more), which leave their own counts in NSOP_TEST_RESULTS:
# starting a process takes longer than most tests, and what it computes once is shared among them.
# Under a sanitizer the parts are all that there is.
function(nsop_test name)
  if(NOT NSOP_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "UNITY" "TIMEOUT;SHARDS" "SOURCES;DEPS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE nsop_options ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  if(ARG_UNITY)
    nsop_unity(${name})
  endif()
  nsop_quickly_compiled(${name} TRUE)
  nsop_precompiled(${name} test)
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    math(EXPR index "${shard} - 1")
    set(part "${name}.part_${shard}_of_${ARG_SHARDS}")
    add_test(
      NAME ${part}
      COMMAND sh -c [[exec "$0" "--gtest_output=xml:${NSOP_TEST_RESULTS:?}/$1.xml"]]
              $<TARGET_FILE:${name}> ${part}
      CONFIGURATIONS whole)
    set_tests_properties(
      ${part} PROPERTIES TIMEOUT 1800 COST ${ARG_SHARDS}
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
  if(NOT NSOP_SANITIZE)
    gtest_discover_tests(
      ${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS single)
  endif()
endfunction()
