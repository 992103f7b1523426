# nsop_worker(NAME OBJECTS <OBJECT libraries> [DEPS ...]): an executable that speaks the worker protocol
# for the ops and variants which those libraries register. NSOP_LINK_SEED permutes the order in which
# their objects are linked: another seed is a relink, and another layout of the same code.
function(nsop_worker name)
  cmake_parse_arguments(ARG "" "" "OBJECTS;DEPS" ${ARGN})
  set(list_file "${CMAKE_CURRENT_BINARY_DIR}/${name}.objects")
  set(response "${CMAKE_CURRENT_BINARY_DIR}/${name}.rsp")
  set(lines "")
  set(objects "")
  foreach(library IN LISTS ARG_OBJECTS)
    list(APPEND objects "$<TARGET_OBJECTS:${library}>")
    string(APPEND lines "$<JOIN:$<TARGET_OBJECTS:${library}>,\n>\n")
  endforeach()
  file(GENERATE OUTPUT "${list_file}" CONTENT "${lines}")
  add_custom_command(
    OUTPUT "${response}"
    COMMAND "${CMAKE_COMMAND}" "-DSEED=${NSOP_LINK_SEED}" "-DBASE=${PROJECT_BINARY_DIR}"
            "-DLIST=${list_file}" "-DOUT=${response}" -P
            "${PROJECT_SOURCE_DIR}/tools/permute_objects.cmake"
    DEPENDS ${objects} "${list_file}" "${PROJECT_SOURCE_DIR}/tools/permute_objects.cmake"
    COMMENT "Ordering the objects of ${name}"
    VERBATIM)
  add_custom_target(${name}_order DEPENDS "${response}")

  add_executable(${name} "${PROJECT_SOURCE_DIR}/harness/worker/main.cpp")
  add_dependencies(${name} ${name}_order ${ARG_OBJECTS})
  target_link_libraries(${name} PRIVATE nsop_options nsop::worker ${ARG_DEPS})
  target_link_options(${name} PRIVATE "@${response}")
  # What the libraries depend on, less themselves: an OBJECT library that is linked adds its objects.
  list(TRANSFORM ARG_OBJECTS REPLACE "^nsop_" "" OUTPUT_VARIABLE own)
  list(JOIN own "|" own)
  foreach(library IN LISTS ARG_OBJECTS)
    set(needs "$<TARGET_PROPERTY:${library},INTERFACE_LINK_LIBRARIES>")
    target_link_libraries(${name} PRIVATE "$<FILTER:${needs},EXCLUDE,^nsop(_|::)(${own})$>")
  endforeach()
  set_target_properties(${name} PROPERTIES LINK_DEPENDS "${response}")
endfunction()

# nsop_oracle_test(NAME PREFIX DEPS library...): NAME_check_test, which runs the cases that the variants
# of these libraries support against the oracle: every seventh, with NSOP_TEST_FULL=1 all. For workers
# of their own; those of nsop-worker have reference/registry_check_test.
function(nsop_oracle_test name prefix)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  if(NOT NSOP_TESTS)
    return()
  endif()
  set(test ${name}_check_test)
  add_executable(${test} "${PROJECT_SOURCE_DIR}/reference/registry_check_test.cpp")
  target_compile_definitions(
    ${test} PRIVATE NSOP_CHECK_CASES="${PROJECT_SOURCE_DIR}/reference/check_cases.txt"
                    NSOP_CHECK_STRIDE=7)
  target_link_libraries(${test} PRIVATE nsop_options nsop::core nsop::reference ${ARG_DEPS}
                                        GTest::gmock GTest::gtest_main)
  # Threads that spin for each other would crawl where tests run side by side.
  gtest_discover_tests(${test} DISCOVERY_TIMEOUT 60 TEST_PREFIX ${prefix} TEST_FILTER
                       "Rows/RegistryCheck.*-*nop_call*" PROPERTIES TIMEOUT 900 ENVIRONMENT OMP_WAIT_POLICY=passive)
endfunction()
