# Compiles for WebAssembly with Debian's Emscripten; what its C++ library lacks is in
# tools/cmake/libcxx_14.h, and the sources of other libraries lie in build/wasm-root
# (tools/cross/wasm_root.sh). Node runs the program, which reads and writes this machine's files.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
get_filename_component(wasm_root "${CMAKE_CURRENT_LIST_DIR}/../../build/wasm-root" ABSOLUTE)
set(CMAKE_CXX_FLAGS_INIT
    "-msimd128 -fwasm-exceptions -isystem ${wasm_root}/include -include ${CMAKE_CURRENT_LIST_DIR}/libcxx_14.h")
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-fwasm-exceptions -sNODERAWFS=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=8MB")
