# The libraries of the worker, compiled for WebAssembly or as headers alone, under the names that
# find_package() gives them.
get_filename_component(root "${PROJECT_SOURCE_DIR}/build/wasm-root" ABSOLUTE)

foreach(headers Threads::Threads fmt::fmt nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus)
  add_library(${headers} INTERFACE IMPORTED)
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
target_compile_definitions(tomlplusplus::tomlplusplus INTERFACE TOML_HEADER_ONLY=1)

file(GLOB benchmark_sources "${root}/benchmark/src/*.cc")
list(FILTER benchmark_sources EXCLUDE REGEX "benchmark_main\\.cc$")
add_library(benchmark STATIC ${benchmark_sources})
add_library(benchmark::benchmark ALIAS benchmark)
target_compile_features(benchmark PRIVATE cxx_std_20)
target_compile_definitions(benchmark PRIVATE HAVE_STD_REGEX HAVE_STEADY_CLOCK)
target_include_directories(benchmark SYSTEM PUBLIC "${root}/benchmark/include")
file(STRINGS "${root}/benchmark/CMakeLists.txt" benchmark_project REGEX "^project *\\(benchmark VERSION")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" benchmark_VERSION "${benchmark_project}")

set(hwy_sources aligned_allocator.cc per_target.cc print.cc targets.cc)
list(TRANSFORM hwy_sources PREPEND "${root}/highway/hwy/")
add_library(hwy STATIC ${hwy_sources})
add_library(hwy::hwy ALIAS hwy)
target_compile_features(hwy PRIVATE cxx_std_20)
target_include_directories(hwy SYSTEM PUBLIC "${root}/highway")
