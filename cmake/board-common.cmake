# What both toolchains for boards share. Programs are static: a board's image has a C library of its own, often an
# older one than the compiler's.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
