// SPDX-License-Identifier: Apache-2.0
//
// The reference for tsr_runs, with whole addresses and counts: the body of a module with its parameters and inputs.
// runs.sv compares it with tsr_runs; cut.svh puts it in place of tsr_runs. The includer drives |valid|: a burst is at
// the output.
  logic full_q;
  logic [39:BusShift] word_q;
  logic [39:0] run_q, row_q, plane_q;  // first byte of the run, of the row, of the plane
  logic [39:0] run_end;                // last byte of the run
  logic [RunBits-1:0] run_last_q;
  logic [SizeBits-1:0] x_q, y_q, z_q, x_size_q, y_size_q, z_size_q;
  logic [23:0] x_step_q;
  logic [31:0] y_step_q, z_step_q;
  logic [UserBits-1:0] user_q;
  logic run_ends, row_ends, plane_ends, box_ends, step, takes;
  logic [39:BusShift] last_word, next_word;
  assign run_end = run_q + 40'(run_last_q);
  assign run_ends = word_q[39:BlockShift] == run_end[39:BlockShift];
  assign last_word = run_ends ? run_end[39:BusShift] : {word_q[39:BlockShift], {WordBits{1'b1}}};
  assign next_word = last_word + (40 - BusShift)'(1);
  assign row_ends = x_q == x_size_q - SizeBits'(1);
  assign plane_ends = row_ends && y_q == y_size_q - SizeBits'(1);
  assign box_ends = run_ends && plane_ends && z_q == z_size_q - SizeBits'(1);
  assign step = !full_q || ready_i || !valid;  // the output has room for the burst
  assign takes = !full_q || box_ends;
  logic [39:0] next_run;
  assign next_run = !row_ends ? run_q + 40'(x_step_q) : !plane_ends ? row_q + 40'(y_step_q) : plane_q + 40'(z_step_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
    end else if (step) begin
      full_q <= !takes || valid_i;
      if (takes) begin
        {run_q, row_q, plane_q} <= {3{addr_i}};
        word_q <= addr_i[39:BusShift];
        run_last_q <= run_last_i;
        {x_q, y_q, z_q} <= '0;
        x_size_q <= row_run_i ? SizeBits'(1) : x_size_i;
        y_size_q <= plane_run_i ? SizeBits'(1) : y_size_i;
        z_size_q <= box_run_i ? SizeBits'(1) : z_size_i;
        {x_step_q, y_step_q, z_step_q} <= {x_step_i, y_step_i, z_step_i};
        user_q <= user_i;
      end else if (run_ends) begin
        run_q <= next_run;
        word_q <= next_run[39:BusShift];
        x_q <= row_ends ? '0 : x_q + SizeBits'(1);
        if (row_ends) begin
          row_q <= next_run;
          y_q <= plane_ends ? '0 : y_q + SizeBits'(1);
        end
        if (plane_ends) begin
          plane_q <= next_run;
          z_q <= z_q + SizeBits'(1);
        end
      end else begin
        word_q <= next_word;
      end
    end
  end
  // The burst that must be at the output.
  logic [39:BusShift] out_word_q, out_last_q;
  logic out_valid_q, out_box_q;
  logic [UserBits-1:0] out_user_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_q <= 1'b0;
    else if (ready_i || !out_valid_q) begin
      out_valid_q <= full_q;
      {out_word_q, out_last_q, out_box_q, out_user_q} <= {word_q, last_word, box_ends, user_q};
    end
  end
