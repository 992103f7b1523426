# Finds cmark-gfm, whose Debian packages carry no CMake configuration.
# Defines cmark_gfm::core and cmark_gfm::extensions (GitHub's tables).
find_path(CMARK_GFM_INCLUDE_DIR cmark-gfm.h)
find_path(CMARK_GFM_EXTENSIONS_INCLUDE_DIR cmark-gfm-core-extensions.h)
find_library(CMARK_GFM_LIBRARY cmark-gfm)
find_library(CMARK_GFM_EXTENSIONS_LIBRARY cmark-gfm-extensions)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  cmark_gfm REQUIRED_VARS CMARK_GFM_INCLUDE_DIR CMARK_GFM_EXTENSIONS_INCLUDE_DIR CMARK_GFM_LIBRARY
                          CMARK_GFM_EXTENSIONS_LIBRARY)

if(cmark_gfm_FOUND AND NOT TARGET cmark_gfm::core)
  add_library(cmark_gfm::core UNKNOWN IMPORTED)
  set_target_properties(
    cmark_gfm::core PROPERTIES IMPORTED_LOCATION "${CMARK_GFM_LIBRARY}"
                               INTERFACE_INCLUDE_DIRECTORIES "${CMARK_GFM_INCLUDE_DIR}")
  add_library(cmark_gfm::extensions UNKNOWN IMPORTED)
  set_target_properties(
    cmark_gfm::extensions
    PROPERTIES IMPORTED_LOCATION "${CMARK_GFM_EXTENSIONS_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${CMARK_GFM_EXTENSIONS_INCLUDE_DIR}"
               INTERFACE_LINK_LIBRARIES cmark_gfm::core)
endif()
