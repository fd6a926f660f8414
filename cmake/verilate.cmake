# tessera_verilate(TARGET TOP module CONFIG name [SOURCES file.sv ...] [OPTIONS option ...]
#                  [PREFIX Vname] [RANDOM_START])
# Makes a static library with the Verilated model of |module| for a configuration (its name or its
# file), its header Vname.h and Verilator's runtime. Finds modules of hw/rtl by name; SOURCES adds files (say,
# a bench around several modules); OPTIONS go to Verilator. With RANDOM_START the context chooses
# the first values of flip-flops (else 0). Warnings of -Wall stop the build; assertions are on.
find_program(VERILATOR verilator REQUIRED)
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE TESSERA_VERILATOR_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE)
set(TESSERA_VERILATOR_INCLUDE ${TESSERA_VERILATOR_ROOT}/include)
get_filename_component(TESSERA_HW ${CMAKE_CURRENT_LIST_DIR}/../hw ABSOLUTE)
# clang takes two thirds of the time of g++ 12 for these models, and they run faster.
find_program(TESSERA_MODEL_CXX NAMES clang++-14 clang++)
set(TESSERA_COMPILE_WITH ${CMAKE_CURRENT_LIST_DIR}/compile_with.sh)
set(TESSERA_VERILATE ${TESSERA_HW}/scripts/verilate.sh)

# Builds Verilator's runtime, once for the models of tests and once for whole machines.
function(tessera_verilator_runtime target)
  add_library(${target} STATIC
    ${TESSERA_VERILATOR_INCLUDE}/verilated.cpp ${TESSERA_VERILATOR_INCLUDE}/verilated_threads.cpp)
  target_include_directories(${target} SYSTEM PUBLIC
    ${TESSERA_VERILATOR_INCLUDE} ${TESSERA_VERILATOR_INCLUDE}/vltstd)
  target_compile_options(${target} PRIVATE -w)
  target_link_libraries(${target} PUBLIC Threads::Threads)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
endfunction()
if(NOT TARGET tessera_verilated)
  tessera_verilator_runtime(tessera_verilated)
endif()

# Prints the package of a configuration, a name or a file, into the build folder. A package with the
# same text keeps its time, so a new isa_gen alone does not verilate anything again.
function(tessera_rtl_package config out)
  get_filename_component(name ${config} NAME_WE)
  set(package ${PROJECT_BINARY_DIR}/rtl/${name}/tsr_pkg.sv)
  set(${out} ${package} PARENT_SCOPE)
  get_property(known GLOBAL PROPERTY TESSERA_RTL_PACKAGES)
  if(NOT "${name}" IN_LIST known)
    set_property(GLOBAL APPEND PROPERTY TESSERA_RTL_PACKAGES ${name})
    set(file)
    if(IS_ABSOLUTE ${config})
      set(file ${config})
    endif()
    add_custom_command(OUTPUT ${package}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/rtl/${name}
      COMMAND isa_gen sv --config ${config} > ${package}.new
      COMMAND ${CMAKE_COMMAND} -E copy_if_different ${package}.new ${package}
      DEPENDS isa_gen ${file} COMMENT "tsr_pkg.sv of ${name}" VERBATIM)
    add_custom_target(tessera_rtl_package_${name} DEPENDS ${package})
  endif()
endfunction()

function(tessera_verilate target)
  cmake_parse_arguments(A "RANDOM_START" "TOP;CONFIG;PREFIX" "SOURCES;OPTIONS" ${ARGN})
  if(NOT A_PREFIX)
    set(A_PREFIX V${A_TOP})
  endif()
  tessera_rtl_package(${A_CONFIG} package)
  get_filename_component(name ${A_CONFIG} NAME_WE)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  set(options ${A_OPTIONS})
  if(A_RANDOM_START)
    list(APPEND options --x-initial unique)
  endif()
  list(TRANSFORM A_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE extra)
  # Verilator decides how many files it writes; the script makes two files with known names that
  # include them all. Naming the header as a product makes the same build compile its users again.
  add_custom_command(
    OUTPUT ${dir}/fast.cc ${dir}/slow.cc
    BYPRODUCTS ${dir}/${A_PREFIX}.h
    COMMAND ${CMAKE_COMMAND} -E env VERILATOR=${VERILATOR}
            ${TESSERA_VERILATE} model ${package} ${A_TOP} ${A_PREFIX} ${dir} ${extra} ${options}
    DEPENDS ${package} ${A_SOURCES} tessera_rtl_package_${name} ${TESSERA_VERILATE}
    DEPFILE ${dir}/sources.d
    COMMENT "Verilating ${A_TOP} (${name})" VERBATIM)
  add_library(${target} STATIC ${dir}/fast.cc ${dir}/slow.cc)
  if(TESSERA_MODEL_CXX AND NOT TESSERA_SANITIZE)
    set(launcher ${TESSERA_COMPILE_WITH} ${TESSERA_MODEL_CXX} ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_LAUNCHER})
    set_target_properties(${target} PROPERTIES CXX_STANDARD 17 CXX_COMPILER_LAUNCHER "${launcher}")
  endif()
  set_source_files_properties(${dir}/fast.cc PROPERTIES COMPILE_OPTIONS "-O2")
  set_source_files_properties(${dir}/slow.cc PROPERTIES COMPILE_OPTIONS "-O0")
  target_compile_options(${target} PRIVATE -w)
  target_include_directories(${target} SYSTEM PUBLIC ${dir})
  target_link_libraries(${target} PUBLIC tessera_verilated)
endfunction()

# Sets |out| to the OPTIONS that make models of prim/tsr_dsp_*.sv from the DSP48E1 of yosys's
# simulation models: the module, cut out of the file with all of them, and the macro that selects
# it.
function(tessera_dsp48e1 out)
  set(file ${PROJECT_BINARY_DIR}/rtl/DSP48E1.v)
  execute_process(COMMAND ${TESSERA_HW}/../scripts/pypi_tool.sh ${PROJECT_BINARY_DIR} xilinx
                  OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_VARIABLE why)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the models of DSP48E1 are not there: ${why}")
  endif()
  file(READ ${folder}/cells_sim.v cells)
  string(FIND "${cells}" "module DSP48E1 (" from)
  string(SUBSTRING "${cells}" ${from} -1 cells)
  string(FIND "${cells}" "endmodule" to)
  string(SUBSTRING "${cells}" 0 ${to} cells)
  file(CONFIGURE OUTPUT ${file} CONTENT "${cells}endmodule\n" @ONLY)
  set(${out} ${file} -DTSR_DSP48E1 -Wno-COMBDLY -Wno-UNOPTFLAT -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL -Wno-WIDTH PARENT_SCOPE)
endfunction()
