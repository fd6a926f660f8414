# Prints the package of each configuration in CONFIGS with PROGRAM and has Verilator and yosys read it.
# FOLDER: where the files go.
foreach(config IN LISTS CONFIGS)
  set(file ${FOLDER}/${config}/tsr_pkg.sv)
  file(MAKE_DIRECTORY ${FOLDER}/${config})
  execute_process(COMMAND ${PROGRAM} sv --config ${config} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND verilator --lint-only -Wall ${file} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND yosys -q -p "read_verilog -sv ${file}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
