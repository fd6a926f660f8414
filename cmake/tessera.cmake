# The functions that every folder's CMakeLists.txt calls, and what holds for all targets.
option(TESSERA_WERROR "treat warnings as errors" ON)
# Half of the compile time is headers. meta_includes_test keeps each file compilable alone.
option(TESSERA_UNITY "compile the files of a library several at a time" OFF)
set(TESSERA_SANITIZE "" CACHE STRING "sanitizers, e.g. address,undefined")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache counts paths from the source folder, so checkouts in several folders share objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

add_library(tessera_warnings INTERFACE)
# -Wmissing-field-initializers also fires on designated initialisers of members with defaults.
target_compile_options(tessera_warnings INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers
  $<$<BOOL:${TESSERA_WERROR}>:-Werror>)
add_library(tessera::warnings ALIAS tessera_warnings)

# For code that computes with a network's floats: every operation must round as written. A fused
# product would give other constants on processors that have it.
set(TESSERA_EXACT_FLOATS -ffp-contract=off)

if(TESSERA_SANITIZE)
  add_compile_options(-fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TESSERA_SANITIZE})
endif()

# lld links a test program in 0.2 seconds, GNU ld in 1.2.
find_program(TESSERA_LLD ld.lld)
if(TESSERA_LLD AND NOT CMAKE_CROSSCOMPILING)
  add_link_options(-fuse-ld=lld)
endif()

# g++ frees memory during a compilation, which takes 5 to 8 % of its time. Up to 1 GB it need not.
add_compile_options($<$<AND:$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>>:--param=ggc-min-heapsize=1000000>)

# tessera_unity(TARGET)
# With TESSERA_UNITY, compiles the files of TARGET 40 at a time: two compilations of the 51 files of
# compiler/schedule take 32 seconds, seven of eight files each took 50.
function(tessera_unity target)
  if(TESSERA_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 40)
  endif()
  # g++ 12 warns so of correct code that it has inlined (its bug 105651 and others). The presets dev
  # and asan keep these warnings.
  foreach(warning restrict array-bounds stringop-overflow stringop-overread)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Wno-${warning}>)
  endforeach()
endfunction()

# tessera_precompile(TARGET header...)
# Compiles these headers once and includes them in every file of TARGET. Only for headers that
# nearly all of its files include and that take most of their compile time. A file must still
# include what it uses: meta_includes_test.
function(tessera_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  tessera_launch_precompiled(${target})
endfunction()

function(tessera_launch_precompiled target)
  if(CCACHE)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_SOURCE_DIR}/cmake/launch_precompiled.sh;${CMAKE_SOURCE_DIR};${CCACHE}")
  endif()
endfunction()

# tessera_library(NAME SOURCES a.cc ... DEPS tessera::x ...)
# Makes a library tessera_NAME with alias tessera::NAME and headers from the project root. A name that
# is local to a file is not used for another thing in another file: they compile together.
function(tessera_library name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  if(A_SOURCES)
    add_library(tessera_${name} STATIC ${A_SOURCES})
    target_include_directories(tessera_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/gen)
    target_link_libraries(tessera_${name} PUBLIC ${A_DEPS} PRIVATE ${A_PRIVATE_DEPS} tessera::warnings)
    tessera_unity(tessera_${name})
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/tests/")
      tessera_cold(tessera_${name})
    endif()
  else()
    add_library(tessera_${name} INTERFACE)
    target_include_directories(tessera_${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(tessera_${name} INTERFACE ${A_DEPS})
  endif()
  add_library(tessera::${name} ALIAS tessera_${name})
endfunction()

# tessera_embed(TARGET HEADER a/b.h NAMESPACE x::y FILES file ...)
# Puts the text of these files into TARGET, as x::y::EmbeddedFile("name"), which HEADER declares.
function(tessera_embed target)
  cmake_parse_arguments(A "" "HEADER;NAMESPACE" "FILES" ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}_files.cc)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DHEADER=${A_HEADER} -DNAMESPACE=${A_NAMESPACE} "-DFILES=${A_FILES}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${A_FILES} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()

# tessera_cold(TARGET...)
# For code that runs once, or waits for files and libraries: -O3 takes a quarter more compile time
# and gains nothing.
function(tessera_cold)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# tessera_allocator(TARGET...)
# For programs that compile and search: jemalloc, if it is installed, where glibc's allocator takes
# a fifth of a search's time. Sanitizers have allocators of their own.
find_library(TESSERA_JEMALLOC jemalloc)
function(tessera_allocator)
  if(TESSERA_JEMALLOC AND NOT TESSERA_SANITIZE AND NOT TESSERA_RUNTIME_ONLY)
    foreach(target ${ARGN})
      target_link_libraries(${target} PRIVATE ${TESSERA_JEMALLOC})
    endforeach()
  endif()
endfunction()

# tessera_driver(NAME LIBRARY tessera::x [LABEL fast|rtl] [LAUNCHER command args...] [UNTESTED reason])
# Registers |library| as driver NAME of tools/drivers.cc: the list of drivers links it, and
# tests/cts runs the conformance tests on it as test cts_NAME_test with this label. LAUNCHER runs
# the test program where the driver finds its machine. UNTESTED: why this build cannot run the
# tests.
function(tessera_driver name)
  cmake_parse_arguments(A "" "LIBRARY;LABEL;UNTESTED" "LAUNCHER" ${ARGN})
  if(NOT A_LABEL)
    set(A_LABEL fast)
  endif()
  set_property(GLOBAL APPEND PROPERTY TESSERA_DRIVERS ${name})
  set_property(GLOBAL APPEND PROPERTY TESSERA_DRIVER_LIBRARIES ${A_LIBRARY})
  set_property(GLOBAL PROPERTY TESSERA_DRIVER_LABEL_${name} ${A_LABEL})
  set_property(GLOBAL PROPERTY TESSERA_DRIVER_LAUNCHER_${name} ${A_LAUNCHER})
  set_property(GLOBAL PROPERTY TESSERA_DRIVER_UNTESTED_${name} "${A_UNTESTED}")
endfunction()

# tessera_skipped_test(NAME reason)
# Stands in for a test that this build cannot run; the summary of a run lists it with the reason.
function(tessera_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "${name}: Skipped
${reason}
[  SKIPPED ] ${name} (0 ms)")
  set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 60)
endfunction()

# Compiles the headers of most tests once, for all tests.
function(tessera_test_headers name)
  if(NOT TARGET tessera_test_pch)
    add_library(tessera_test_pch OBJECT ${PROJECT_SOURCE_DIR}/tests/pch.cc)
    target_include_directories(tessera_test_pch PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/gen)
    target_link_libraries(tessera_test_pch PRIVATE GTest::gtest GTest::gmock fmt::fmt tessera::warnings)
    tessera_cold(tessera_test_pch)
    set_target_properties(tessera_test_pch PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    tessera_precompile(tessera_test_pch ${PROJECT_SOURCE_DIR}/tests/pch.h)
  endif()
  target_link_libraries(${name} PRIVATE fmt::fmt)
  # g++ 12 warns of correct "literal" + std::string (its bug 105651).
  target_compile_options(${name} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  target_precompile_headers(${name} REUSE_FROM tessera_test_pch)
  tessera_launch_precompiled(${name})
endfunction()

# tessera_test_program(NAME [DEPS tessera::x ...])
# Makes one program NAME of the tests that follow in this folder: they compile several at a time,
# and link once. Each stays a test of its own for ctest, which selects its files (tests/main.cc).
function(tessera_test_program name)
  cmake_parse_arguments(A "" "" "DEPS" ${ARGN})
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/main.cc)
  target_link_libraries(${name} PRIVATE ${A_DEPS} GTest::gtest GTest::gmock tessera::warnings)
  tessera_cold(${name})
  tessera_test_headers(${name})
  tessera_unity(${name})
  set(TESSERA_TEST_PROGRAM ${name} PARENT_SCOPE)
endfunction()

# tessera_test(NAME SOURCES a_test.cc ... DEPS tessera::x ... [LABEL fast|rtl|slow] [TIMEOUT seconds] [LAUNCHER command] [ALONE])
# Makes one GoogleTest program, or a part of the folder's program (tessera_test_program) if there is
# one; ALONE asks for a program of its own. ctest runs it from the project root, with LAUNCHER
# before it.
function(tessera_test name)
  cmake_parse_arguments(A "ALONE" "LABEL;TIMEOUT" "SOURCES;DEPS;ARGS;ENV;LAUNCHER" ${ARGN})
  if(NOT A_LABEL)
    set(A_LABEL fast)
  endif()
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 300)
  endif()
  if(TESSERA_TEST_PROGRAM AND NOT A_ALONE)
    set(program ${TESSERA_TEST_PROGRAM})
    target_sources(${program} PRIVATE ${A_SOURCES})
    target_link_libraries(${program} PRIVATE ${A_DEPS})
    set(files ${A_SOURCES})
    list(FILTER files INCLUDE REGEX "_test\\.cc$")
    list(JOIN files "," files)
    list(PREPEND A_ARGS --files=${files})
  else()
    set(program ${name})
    add_executable(${name} ${A_SOURCES})
    target_link_libraries(${name} PRIVATE ${A_DEPS} GTest::gtest GTest::gmock GTest::gtest_main tessera::warnings)
    tessera_cold(${name})
    tessera_test_headers(${name})
    tessera_unity(${name})
  endif()
  add_test(NAME ${name} COMMAND ${A_LAUNCHER} $<TARGET_FILE:${program}> ${A_ARGS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${A_LABEL} TIMEOUT ${A_TIMEOUT})
  if(A_ENV)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${A_ENV}")
  endif()
endfunction()

# tessera_directed(NAME PROGRAM program args...)
# Makes the programs that this test program gives to its devices available to `tessera regress
# --suite directed`: target directed_programs records them (runtime/device/record.h).
function(tessera_directed name)
  cmake_parse_arguments(A "" "" "PROGRAM" ${ARGN})
  list(POP_FRONT A_PROGRAM program)
  set_property(GLOBAL APPEND PROPERTY TESSERA_DIRECTED_PROGRAMS ${program})
  set_property(GLOBAL APPEND PROPERTY TESSERA_DIRECTED_COMMANDS
    COMMAND TESSERA_RECORD_NAME=${name} $<TARGET_FILE:${program}> ${A_PROGRAM})
endfunction()

# tessera_checked_in(NAME FILE path/in/tree COMMAND program args...)
# FILE is generated from the tables and committed. COMMAND, a target or a script's path, prints it
# to stdout. `cmake --build build -t regenerate` rewrites every such file; test NAME_is_fresh fails
# if FILE is stale.
add_custom_target(regenerate)
function(tessera_checked_in name)
  cmake_parse_arguments(A "" "FILE" "COMMAND" ${ARGN})
  list(POP_FRONT A_COMMAND program)
  set(run ${program})
  if(NOT IS_ABSOLUTE ${program})
    set(run $<TARGET_FILE:${program}>)
  endif()
  add_custom_target(regenerate_${name}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=${run} "-DARGS=${A_COMMAND}"
            -DFILE=${PROJECT_SOURCE_DIR}/${A_FILE} -DMODE=write -P ${PROJECT_SOURCE_DIR}/cmake/checked_in.cmake
    DEPENDS ${program} VERBATIM)
  add_dependencies(regenerate regenerate_${name})
  add_test(NAME ${name}_is_fresh
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=${run} "-DARGS=${A_COMMAND}"
            -DFILE=${PROJECT_SOURCE_DIR}/${A_FILE} -DMODE=check -P ${PROJECT_SOURCE_DIR}/cmake/checked_in.cmake)
  set_tests_properties(${name}_is_fresh PROPERTIES LABELS fast TIMEOUT 60)
endfunction()
