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
