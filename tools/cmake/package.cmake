# What is installed, and the Debian packages that cpack makes of it: nsop, and libnsop-dev of the
# component `dev` (harness/library). `make package` makes them.
#
# `cmake --install build/release --prefix DIR`: the programs, the library that counts allocations in
# lib/nsop/preload, and in share/nsop what the programs read, laid out as in the sources.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(installed nsop nsop-worker nsop-adapter nsop_alloc)
foreach(target IN LISTS installed)
  if(TARGET ${target}) # a sanitizer's build lacks some
    install(TARGETS ${target} RUNTIME DESTINATION bin COMPONENT nsop LIBRARY DESTINATION lib/nsop/preload COMPONENT nsop)
  endif()
endforeach()
# Workers of other libraries, those that this machine has: no part of a package.
install(
  DIRECTORY "${PROJECT_BINARY_DIR}/bin/"
  DESTINATION bin
  COMPONENT peers
  USE_SOURCE_PERMISSIONS FILES_MATCHING
  PATTERN "nsop-peer-*")
foreach(folder harness/suites reports/nsop_report reports/templates reports/assets
               reference/peers/python reference/published)
  install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}/"
    DESTINATION share/nsop/${folder}
    COMPONENT nsop
    FILES_MATCHING
    PATTERN "*.toml"
    PATTERN "*.csv"
    PATTERN "*.py"
    PATTERN "*.j2"
    PATTERN "*.js"
    PATTERN "*.css"
    PATTERN "LICENSE"
    PATTERN "test_*.py" EXCLUDE
    PATTERN "conftest.py" EXCLUDE
    PATTERN "testing" EXCLUDE
    PATTERN "__pycache__" EXCLUDE)
endforeach()
# What continuous integration of other projects runs (docs/install.md).
install(PROGRAMS tools/gate_report.sh DESTINATION share/nsop/tools COMPONENT nsop)
install(PROGRAMS ci/action/gate.sh DESTINATION share/nsop/ci/action COMPONENT nsop)
install(
  PROGRAMS ci/hooks/github_comment.sh ci/hooks/github_status.sh
  DESTINATION share/nsop/ci/hooks
  COMPONENT nsop)

set(NSOP_MAINTAINER "nsop maintainers <maintainers@nsop.invalid>"
    CACHE STRING "Who stands in a package as its maintainer")
option(NSOP_PACKAGE "Write man pages and completions, and install them (help2man)" OFF)
if(NSOP_PACKAGE)
  find_program(HELP2MAN help2man REQUIRED)
  set(documents "${PROJECT_BINARY_DIR}/documents")
  file(GLOB document_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/package/*")
  add_custom_command(
    OUTPUT "${documents}/doc/nsop/copyright"
    COMMAND "${PROJECT_SOURCE_DIR}/tools/package/documents.sh" "$<TARGET_FILE:nsop>" "${documents}"
            "${NSOP_MAINTAINER}"
    DEPENDS nsop nsop-worker nsop-adapter ${document_sources} "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
    COMMENT "Writing man pages and completions"
    VERBATIM)
  add_custom_target(nsop_documents ALL DEPENDS "${documents}/doc/nsop/copyright")
  install(
    DIRECTORY "${documents}/"
    DESTINATION share
    COMPONENT nsop
    PATTERN "libnsop-dev" EXCLUDE)
  install(
    DIRECTORY "${documents}/doc/libnsop-dev"
    DESTINATION share/doc
    COMPONENT dev)
  # What a package is made of; nothing that only this machine has.
  add_custom_target(nsop_package)
  foreach(target IN LISTS installed ITEMS nsop_documents nsop_public)
    if(TARGET ${target})
      add_dependencies(nsop_package ${target})
    endif()
  endforeach()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nsop)
set(CPACK_PACKAGE_VENDOR nsop)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_COMPONENTS_ALL nsop dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES OFF) # tools/package/strip.cmake strips all but the worker
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/tools/package/strip.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${NSOP_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_NSOP_PACKAGE_NAME nsop)
set(CPACK_DEBIAN_NSOP_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_NSOP_PACKAGE_SHLIBDEPS ON)
# Reports are drawn in Python; the comment of a gate, too.
set(CPACK_DEBIAN_NSOP_PACKAGE_DEPENDS
    "python3, python3-jinja2, python3-matplotlib, python3-numpy, python3-pandas")
set(CPACK_DEBIAN_NSOP_PACKAGE_RECOMMENDS git)
set(CPACK_DEBIAN_NSOP_PACKAGE_SUGGESTS "libnsop-dev, python3-torch, valgrind")
set(CPACK_DEBIAN_NSOP_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/tools/package/prerm")
set(CPACK_COMPONENT_NSOP_DESCRIPTION
    "measures, judges and reports performance
nsop measures benchmarks alternately with the revision they are compared
with, and calls a change only where two independent measurements agree; what
it cannot tell it calls inconclusive. It runs programs of Google Benchmark,
Catch2, nanobench, Go and pytest-benchmark, and any command, reads results of
other tools, checks the figures of Markdown reports, and brings kernels of
its own, each checked against an oracle.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libnsop-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libbenchmark-dev, libfmt-dev, libssl-dev, libtomlplusplus-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "nsop (= ${PROJECT_VERSION}), cmake")
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "measures, judges and reports performance - workers of your own
Headers, a static library and a CMake package (find_package(nsop)) with which
a project registers operations, oracles and variants of its own and links
them into a worker that nsop measures.")
include(CPack)
