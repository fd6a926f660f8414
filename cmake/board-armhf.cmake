# Cross-compiles for a Zynq-7000: 32-bit Arm (Cortex-A9 with NEON) and Linux, with Debian's compiler.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-linux-gnueabihf-gcc)
set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)
# Arm state, as for the objects of the compiler and of tests.
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-a9 -mfpu=neon -marm -D_FILE_OFFSET_BITS=64 -Wno-psabi")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-arm-static)
include(${CMAKE_CURRENT_LIST_DIR}/board-common.cmake)
