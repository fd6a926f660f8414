# Fuzz targets: a LLVMFuzzerTestOneInput function under tests/fuzz, and a folder of inputs that found defects.

# tessera_fuzz(NAME SOURCES x_fuzz.cc DEPS tessera::y ... CORPUS tests/corpus/z)
# Always makes a program NAME_replay that runs each file of CORPUS, as a test. With Clang (16 or
# later, for std::expected) and TESSERA_LIBFUZZER also makes NAME, which looks for new inputs. The
# libraries must be instrumented too:
#   cmake -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19 -DTESSERA_LIBFUZZER=ON
#         -DCMAKE_CXX_FLAGS=-fsanitize=fuzzer-no-link,address
#   ninja -C build-fuzz asm_fuzz && build-fuzz/bin/asm_fuzz -max_total_time=60 tests/corpus/asm
option(TESSERA_LIBFUZZER "build fuzz targets with libFuzzer (needs Clang)" OFF)
function(tessera_fuzz name)
  cmake_parse_arguments(A "" "CORPUS" "SOURCES;DEPS" ${ARGN})
  add_executable(${name}_replay ${A_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cc)
  target_link_libraries(${name}_replay PRIVATE ${A_DEPS} tessera::warnings)
  add_test(NAME ${name}_replay COMMAND ${name}_replay ${A_CORPUS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name}_replay PROPERTIES LABELS fast TIMEOUT 300)
  if(TESSERA_LIBFUZZER)
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      message(FATAL_ERROR "TESSERA_LIBFUZZER needs Clang, the compiler is ${CMAKE_CXX_COMPILER_ID}")
    endif()
    add_executable(${name} ${A_SOURCES})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer,address)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer,address)
    target_link_libraries(${name} PRIVATE ${A_DEPS} tessera::warnings)
  endif()
endfunction()
