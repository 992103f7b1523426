# Compiles for aarch64 with Debian's cross compiler; its libraries lie in build/aarch64-root
# (tools/cross/arm_root.sh), and its programs run under QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
get_filename_component(arm_root "${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-root" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${arm_root}" /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Every processor of a server since 2014 has these instructions, and Highway's NEON wants them.
set(CMAKE_CXX_FLAGS_INIT
    "-march=armv8-a+crypto -isystem ${arm_root}/usr/include -isystem ${arm_root}/usr/include/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-L${arm_root}/usr/lib/aarch64-linux-gnu -Wl,-rpath-link,${arm_root}/usr/lib/aarch64-linux-gnu")
