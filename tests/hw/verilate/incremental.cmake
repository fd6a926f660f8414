# What is tested: one build after a change of a Verilated module makes the objects that a build from
# nothing makes, without ccache; a file that is only touched compiles nothing. Space: a module whose port
# list changes, which moves the members of its C++ class, and a program that includes its header.
#   ROOT, ISA_GEN  as in toy/CMakeLists.txt
#   FOLDER         scratch, made anew
set(ENV{CCACHE_DISABLE} 1)
set(build ${FOLDER}/build)
file(REMOVE_RECURSE ${FOLDER})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/toy/ DESTINATION ${FOLDER}/toy)

function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE rc OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT rc EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed (${rc}):\n${out}")
  endif()
endfunction()

# |sum|: the exit status that the program must have.
function(build_once sum)
  must(${CMAKE_COMMAND} --build ${build})
  execute_process(COMMAND ${build}/toy RESULT_VARIABLE rc)
  if(NOT rc EQUAL ${sum})
    message(FATAL_ERROR "the program exits with ${rc}, not ${sum}: it was built from two versions of the header")
  endif()
endfunction()

# The hash of every object, one a line.
function(objects out)
  file(GLOB_RECURSE files ${build}/*.o)
  set(text "")
  foreach(file IN LISTS files)
    file(SHA256 ${file} hash)
    string(APPEND text "${hash} ${file}\n")
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

must(${CMAKE_COMMAND} -G Ninja -S ${FOLDER}/toy -B ${build} -DROOT=${ROOT} -DISA_GEN=${ISA_GEN}
     -DCMAKE_CXX_COMPILER_LAUNCHER=)
build_once(42)
objects(first)
set(object ${build}/CMakeFiles/toy.dir/toy.cc.o)
file(TIMESTAMP ${object} before "%s")
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
file(TOUCH ${FOLDER}/toy/toy.sv)
build_once(42)
file(TIMESTAMP ${object} after "%s")
if(NOT before EQUAL after)
  message(FATAL_ERROR "toy.sv was touched, its text is the same, and toy.cc was compiled again")
endif()

# A port in front of the others, and another sum.
file(READ ${FOLDER}/toy/toy.sv text)
string(REPLACE "  input  logic [7:0] a_i," "  input  logic [7:0] first_i,\n  input  logic [7:0] a_i," text "${text}")
string(REPLACE "8'd1" "8'd2 + first_i" text "${text}")
file(WRITE ${FOLDER}/toy/toy.sv "${text}")
build_once(43)
objects(incremental)
if(incremental STREQUAL first)
  message(FATAL_ERROR "the change reached no object")
endif()
must(${CMAKE_COMMAND} --build ${build} -t clean)
build_once(43)
objects(fresh)
if(NOT incremental STREQUAL fresh)
  message(FATAL_ERROR "objects differ\nafter one incremental build:\n${incremental}\nfrom nothing:\n${fresh}")
endif()
