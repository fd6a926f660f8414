// SPDX-License-Identifier: Apache-2.0
//
// tsr_serial: a computer's way to the machine's registers and to its memory, by frames on a serial line (tsr_serial_pkg).
//
//   Input   rx_i, tx_o: the line, as the part sees it
//   Output  an AXI4-Lite master for the registers; a port of tsr_serial_mem, one byte at a time
//   Output  machine_reset_o, high for 16 cycles, also with rst_ni
//   Cost    one request at a time; a register waits at most 255 cycles for the machine
//
// Invariant: a request is done once, however often its frame comes; none is done without an OP_HELLO since rst_ni.
`default_nettype none
module tsr_serial #(
  parameter int ClocksPerBit = 25,
  parameter int ClockHz      = 50000000,
  parameter int MemoryBytes  = 262144,  // a power of two
  parameter int AddrBits     = 18       // of an address in memory: $clog2(MemoryBytes)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                rx_i,
  output logic                tx_o,
  output logic                session_o,  // a session is open
  output logic                noise_o,    // something on the line was no request, since the session began
  output logic                machine_reset_o,
  // AXI4-Lite
  output logic                m_awvalid_o,
  input  logic                m_awready_i,
  output logic                m_wvalid_o,
  input  logic                m_wready_i,
  input  logic                m_bvalid_i,
  input  logic [1:0]          m_bresp_i,
  output logic                m_arvalid_o,
  input  logic                m_arready_i,
  input  logic                m_rvalid_i,
  input  logic [1:0]          m_rresp_i,
  input  logic [31:0]         m_rdata_i,
  output logic [11:0]         m_addr_o,   // of both
  output logic [31:0]         m_wdata_o,
  // memory: a read's byte comes in the cycle after its address
  output logic                mem_write_o,
  output logic                mem_read_o,
  output logic [AddrBits-1:0] mem_addr_o,
  output logic [7:0]          mem_wdata_o,
  input  logic [7:0]          mem_rdata_i
);
  // ---- the line
  logic in_valid, in_bad, out_valid, out_ready;
  logic [7:0] in_data, out_data;
  tsr_uart_rx #(
    .ClocksPerBit(ClocksPerBit)
  ) u_rx (
    .clk_i,
    .rst_ni,
    .rx_i,
    .valid_o(in_valid),
    .bad_o(in_bad),
    .data_o(in_data)
  );
  logic request, taken, dropped;
  logic [7:0] seq, op, data_byte;
  logic [31:0] addr, value;
  logic [9:0] index_q;
  tsr_frame_rx u_frame_rx (
    .clk_i,
    .rst_ni,
    .valid_i(in_valid),
    .bad_i(in_bad),
    .data_i(in_data),
    .valid_o(request),
    .ready_i(taken),
    .seq_o(seq),
    .op_o(op),
    .addr_o(addr),
    .value_o(value),
    .dropped_o(dropped),
    .index_i(index_q),
    .byte_o(data_byte)
  );
  logic body_valid, body_ready, body_last, tx_idle;
  logic [7:0] body_data;
  tsr_frame_tx u_frame_tx (
    .clk_i,
    .rst_ni,
    .valid_i(body_valid),
    .ready_o(body_ready),
    .last_i(body_last),
    .data_i(body_data),
    .idle_o(tx_idle),
    .valid_o(out_valid),
    .ready_i(out_ready),
    .data_o(out_data)
  );
  tsr_uart_tx #(
    .ClocksPerBit(ClocksPerBit)
  ) u_tx (
    .clk_i,
    .rst_ni,
    .valid_i(out_valid),
    .ready_o(out_ready),
    .data_i(out_data),
    .tx_o
  );

  // ---- what a request is
  logic is_read_memory, is_write_memory, is_memory, range_ok, known;
  assign is_read_memory = op == tsr_serial_pkg::OP_READ_MEMORY;
  assign is_write_memory = op == tsr_serial_pkg::OP_WRITE_MEMORY;
  assign is_memory = is_read_memory | is_write_memory;
  assign known = op >= tsr_serial_pkg::OP_HELLO && op <= tsr_serial_pkg::OP_RESET;
  assign range_ok = value != '0 && value <= 32'(tsr_serial_pkg::MAX_DATA) && addr < 32'(MemoryBytes) &&
                    33'(addr) + 33'(value) <= 33'(MemoryBytes);

  // ---- one request after the other
  localparam logic [2:0] Idle = 3'd0, Register = 3'd1, Write = 3'd2, Reset = 3'd3, Answer = 3'd4;
  logic [2:0] state_q;
  logic session_q, noise_q;
  logic [7:0] seq_q, status_q;    // of the last request
  logic [31:0] rdata_q;
  logic [7:0] wait_q;             // cycles that a register or a reset takes
  logic [3:0] step_q;             // a byte: 0 address, 1 its data
  logic repeated;
  assign repeated = session_q & (seq == seq_q);
  assign session_o = session_q;
  assign noise_o = noise_q;

  // The bytes of an answer: sequence number, status, then data. index_q numbers the data.
  logic [1:0] part_q;  // 0: sequence number, 1: status, 2: data
  logic [9:0] last_index;
  logic has_data;
  logic [127:0] hello;
  assign hello = {32'(ClockHz), 32'(MemoryBytes), tsr_serial_pkg::HELLO_MAGIC, addr};
  assign has_data = (status_q == tsr_serial_pkg::STATUS_DONE) & (op == tsr_serial_pkg::OP_HELLO ||
                    op == tsr_serial_pkg::OP_READ || is_read_memory);
  assign last_index = op == tsr_serial_pkg::OP_HELLO ? 10'd15 : is_read_memory ? value[9:0] - 10'd1 : 10'd3;
  assign body_valid = (state_q == Answer) & (part_q != 2'd2 | step_q == 4'd2);
  assign body_last = part_q == 2'd2 ? index_q == last_index : part_q == 2'd1 & !has_data;
  logic [7:0] answer_q;  // a byte of data
  assign body_data = part_q == 2'd0 ? seq : part_q == 2'd1 ? status_q : answer_q;

  logic leave;
  assign leave = (state_q == Answer) & body_valid & body_ready & body_last;
  assign taken = leave;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      session_q <= 1'b0;
      noise_q <= 1'b0;
      {m_awvalid_o, m_wvalid_o, m_arvalid_o} <= '0;
      machine_reset_o <= 1'b1;
      wait_q <= '0;
    end else begin
      if (dropped || in_bad) noise_q <= 1'b1;
      if (m_awready_i) m_awvalid_o <= 1'b0;
      if (m_wready_i) m_wvalid_o <= 1'b0;
      if (m_arready_i) m_arvalid_o <= 1'b0;
      unique case (state_q)
        Idle: begin
          index_q <= '0;
          part_q <= '0;
          step_q <= '0;
          machine_reset_o <= 1'b0;
          if (request && tx_idle) begin
            wait_q <= 8'd255;
            seq_q <= seq;
            state_q <= Answer;
            if (op == tsr_serial_pkg::OP_HELLO) begin
              session_q <= 1'b1;
              noise_q <= 1'b0;
              status_q <= tsr_serial_pkg::STATUS_DONE;
            end else if (!session_q) begin
              seq_q <= seq_q;
              status_q <= tsr_serial_pkg::STATUS_NO_SESSION;
            end else if (!repeated) begin
              status_q <= tsr_serial_pkg::STATUS_DONE;
              if (!known || (is_memory && !range_ok)) status_q <= tsr_serial_pkg::STATUS_BAD;
              else if (is_write_memory) state_q <= Write;
              else if (op == tsr_serial_pkg::OP_READ) {m_arvalid_o, state_q} <= {1'b1, Register};
              else if (op == tsr_serial_pkg::OP_WRITE) {m_awvalid_o, m_wvalid_o, state_q} <= {2'b11, Register};
              else if (op == tsr_serial_pkg::OP_RESET) {machine_reset_o, state_q} <= {1'b1, Reset};
            end
          end
        end
        Register: begin
          wait_q <= wait_q - 8'd1;
          rdata_q <= m_rdata_i;
          if ((m_bvalid_i && m_bresp_i[1]) || (m_rvalid_i && m_rresp_i[1]) || wait_q == '0)
            status_q <= tsr_serial_pkg::STATUS_NO_ANSWER;
          if (m_bvalid_i || m_rvalid_i || wait_q == '0) begin
            {m_awvalid_o, m_wvalid_o, m_arvalid_o} <= '0;
            state_q <= Answer;
          end
        end
        Write: begin
          step_q <= step_q == 4'd1 ? 4'd0 : 4'd1;
          if (step_q == 4'd1) begin
            index_q <= index_q + 10'd1;
            if (index_q == value[9:0] - 10'd1) begin
              index_q <= '0;
              state_q <= Answer;
            end
          end
        end
        Reset: begin
          wait_q <= wait_q - 8'd1;
          if (wait_q == 8'd240) machine_reset_o <= 1'b0;
          if (wait_q == '0) state_q <= Answer;  // the registers answer by now
        end
        default: begin  // Answer
          if (part_q == 2'd2 && step_q != 4'd2) step_q <= step_q + 4'd1;
          if (step_q == 4'd1) begin
            answer_q <= op == tsr_serial_pkg::OP_HELLO ? hello[8*index_q[3:0]+:8] :
                        is_read_memory ? mem_rdata_i : rdata_q[8*index_q[1:0]+:8];
          end
          if (body_valid && body_ready) begin
            step_q <= '0;
            if (part_q != 2'd2) part_q <= part_q + 2'd1;
            else index_q <= index_q + 10'd1;
          end
          if (leave) state_q <= Idle;
        end
      endcase
    end
  end
  assign m_addr_o = addr[11:0];
  assign m_wdata_o = value;
  assign mem_addr_o = addr[AddrBits-1:0] + AddrBits'(index_q);
  assign mem_write_o = (state_q == Write) & (step_q == 4'd1);
  assign mem_read_o = (state_q == Answer) & is_read_memory & (part_q == 2'd2) & (step_q == 4'd0);
  assign mem_wdata_o = data_byte;

  logic unused;
  assign unused = ^{m_bresp_i[0], m_rresp_i[0]};
`ifndef SYNTHESIS
  initial if ((1 << AddrBits) != MemoryBytes) $fatal(1, "tsr_serial: MemoryBytes is %0d, AddrBits %0d", MemoryBytes, AddrBits);
`endif
endmodule
`default_nettype wire
