// The RTL, one file a line, relative to this folder: packages first (names end in _pkg), in order of use; then modules by
// folder. tsr_pkg.sv is printed for each configuration and comes before them. The one list of files and folders:
// sources.sh reads it, hw/scripts/lint.sh fails when a file is not in it. tessera.v is Verilog-2001, for block designs.
common/tsr_sim_pkg.sv
dma/tsr_dma_pkg.sv
gemm/tsr_dw_pkg.sv
serial/tsr_serial_pkg.sv
vector/tsr_vector_pkg.sv

tessera.v
tsr_top.sv
tsr_units.sv
tsr_compute.sv

common/tsr_assert.svh
common/tsr_index.svh
common/tsr_digest.sv
common/tsr_loop_count.sv
common/tsr_tally.sv

prim/tsr_chunk.sv
prim/tsr_deep_fifo.sv
prim/tsr_dsp_pair.sv
prim/tsr_dsp_product.sv
prim/tsr_dsp_scale.sv
prim/tsr_fifo.sv
prim/tsr_lutram.sv
prim/tsr_power_on.sv
prim/tsr_ram.sv
prim/tsr_skid.sv

bus/tsr_axi_read.sv
bus/tsr_axi_write.sv

mem/tsr_banked_mem.sv
mem/tsr_mux.sv
mem/tsr_prm_mem.sv
mem/tsr_tab_mem.sv

regs/tsr_regs.sv

issue/tsr_control.sv
issue/tsr_dispatch.sv
issue/tsr_errors.sv
issue/tsr_fetch.sv
issue/tsr_gate.sv
issue/tsr_issue.sv
issue/tsr_route.sv
issue/tsr_tokens.sv

dma/tsr_box.sv
dma/tsr_dma_check.sv
dma/tsr_dma_errors.sv
dma/tsr_dma_front.sv
dma/tsr_dma_walk.sv
dma/tsr_nest.sv
dma/tsr_pad_count.sv
dma/tsr_runs.sv
dma/tsr_segments.sv

load/tsr_load.sv
load/tsr_load_align.sv
load/tsr_load_decode.sv
load/tsr_load_path.sv

store/tsr_store.sv
store/tsr_store_cut.sv
store/tsr_store_decode.sv
store/tsr_store_pack.sv
store/tsr_store_read.sv

gemm/tsr_dw_decode.sv
gemm/tsr_dw_reads.sv
gemm/tsr_dw_loop.sv
gemm/tsr_dw_window.sv
gemm/tsr_gemm.sv
gemm/tsr_gemm_accum.sv
gemm/tsr_gemm_array.sv
gemm/tsr_gemm_loop.sv
gemm/tsr_gemm_tree.sv

vector/tsr_vector.sv
vector/tsr_vector_decode.sv
vector/tsr_vector_flight.sv
vector/tsr_vector_lane.sv
vector/tsr_vector_loop.sv
vector/tsr_vector_pass.sv

serial/tsr_frame_rx.sv
serial/tsr_frame_tx.sv
serial/tsr_serial.sv
serial/tsr_serial_mem.sv
serial/tsr_serial_top.sv
serial/tsr_uart_rx.sv
serial/tsr_uart_tx.sv
