// SPDX-License-Identifier: Apache-2.0
//
// ulx3s: the top of the ULX3S board with an LFE5U-85F: the machine with its memory in block RAM behind the USB connector's
// serial line. Pins: ulx3s.lpf.
//
// The clock is 50 MHz from the board's 25 MHz. In simulation the PLL is a wire, and ClocksPerBit is smaller, so that a test does
// not wait for the line.
`default_nettype none
module ulx3s #(
  parameter int ClocksPerBit = 25,  // 2 Mbaud
  parameter int ClockHz      = 50000000,
  parameter int MemoryBytes  = 262144
) (
  input  logic       clk_25mhz,
  input  logic       ftdi_txd,       // the computer sends
  output logic       ftdi_rxd,       // the computer receives
  input  logic       fire1,          // resets all, while it is pressed
  output logic [4:0] led,            // noise, busy, session, reset, alive
  output logic       wifi_gpio0      // high: the board's radio does not begin to program the part
);
  logic clk, locked;
`ifdef SYNTHESIS
  // 25 MHz * 2 = 50 MHz; the oscillator inside has 12 times that, which is within its 400 to 800 MHz.
  (* FREQUENCY_PIN_CLKI = "25", FREQUENCY_PIN_CLKOP = "50", ICP_CURRENT = "12", LPF_RESISTOR = "8" *)
  EHXPLLL #(
    .CLKI_DIV(1),
    .CLKFB_DIV(2),
    .CLKOP_DIV(12),
    .CLKOP_CPHASE(5),
    .CLKOP_ENABLE("ENABLED"),
    .FEEDBK_PATH("CLKOP")
  ) u_pll (
    .CLKI(clk_25mhz),
    .CLKFB(clk),
    .CLKOP(clk),
    .LOCK(locked),
    .RST(1'b0),
    .STDBY(1'b0),
    .PHASESEL0(1'b0),
    .PHASESEL1(1'b0),
    .PHASEDIR(1'b0),
    .PHASESTEP(1'b0),
    .PHASELOADREG(1'b0),
    .PLLWAKESYNC(1'b0),
    .ENCLKOP(1'b0)
  );
`else
  assign clk = clk_25mhz;
  assign locked = 1'b1;
`endif

  // Leaves reset 16 cycles after the PLL has its clock and the button is up.
  logic [1:0] stop_q;
  logic [4:0] wait_q;
  initial {stop_q, wait_q} = '0;
  always_ff @(posedge clk) begin
    stop_q <= {stop_q[0], locked & !fire1};
    if (!stop_q[1]) wait_q <= '0;
    else if (!wait_q[4]) wait_q <= wait_q + 5'd1;
  end

  logic [24:0] alive_q;
  initial alive_q = '0;
  always_ff @(posedge clk) alive_q <= alive_q + 1'b1;

  logic session, noise, busy;
  tsr_serial_top #(
    .ClocksPerBit(ClocksPerBit),
    .ClockHz(ClockHz),
    .MemoryBytes(MemoryBytes)
  ) u_top (
    .clk_i(clk),
    .rst_ni(wait_q[4]),
    .rx_i(ftdi_txd),
    .tx_o(ftdi_rxd),
    .session_o(session),
    .noise_o(noise),
    .busy_o(busy)
  );
  assign led = {noise, busy, session, !wait_q[4], alive_q[24]};
  assign wifi_gpio0 = 1'b1;
endmodule
`default_nettype wire
