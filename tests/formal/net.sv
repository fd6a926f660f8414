// SPDX-License-Identifier: Apache-2.0
//
// Proven of the token network (the four tsr_gate with their tsr_tokens) with units that answer in the end, in both
// profiles: all four gates never get stuck on an instruction stream that isa::Units, the rules of `tessera check`, can
// follow to its end. The checker's queues and counters are as deep as the machine's. gate.sv proves that gates which
// are not stuck move within 6 cycles; so a program that the checker accepts never stops the machine.
//
// How: the machine runs any stream until it is dead: each gate says that it is stuck, and no instruction can enter a
// queue any more. The machine stays dead for ever, and isa::Units begins the same stream beside it. In each step an
// instruction enters its queue, starts or ends; the step is any that the rules allow, which covers any order. Claim
// (never_passes): isa::Units cannot do a step that the machine has not done. So it does not finish either: the checker
// refuses that stream.
//
// The proof does not remember the instructions that isa::Units meets before it is where the machine stands. They are
// free, as long as their tokens add up to those that the machine saw (assumptions same_*: they hold because both follow
// a prefix of one stream). At the machine's place, the next instruction is the one that the machine holds. The free
// instructions include impossible ones, which makes the claim stronger. Counts have 24 bits: streams of half a
// gigabyte. gate.sv covers a full counter.
//
// gate.svh models queues and units. Parameters: queues of 2 (profile vta 4), 2 in flight, counters of 5 (vta 6). Gates
// and counters compare with these numbers only, and behave the same between them for larger ones; cosim_random_test
// runs the real ones. Queues keep the order of their beats: fifo.sv, deep_fifo.sv.
//
// sources: pkg common/tsr_tally.sv issue/tsr_gate.sv issue/tsr_tokens.sv
// depth: 6 2 12
// breaks: s/localparam bit Wide = .*/localparam bit Wide = 1'b0;/
// breaks: s/    .Limit(QueueDepth),/    .Limit(QueueDepth - 1),/
// breaks: s/.up_i(push_i\[p\]),/.up_i(push_i[p] \& !pop_i[p]),/
// breaks: s/near_o\[u\] <= near\[4\*u+:4\] != '0;/near_o[u] <= 1'b0;/
// breaks: s/assign stuck_o = flight_valid ? stalled_o != '0/assign stuck_o = flight_valid ? done | stalled_o != '0/
`include "tsr_assert.svh"
`include "queue.svh"
`include "gate.svh"

module prove_net #(
  parameter int QueueDepth = 2,
  parameter int VtaDepth   = 4,
  parameter int InFlight   = 2,
  parameter int Tokens     = 5,
  parameter int VtaTokens  = 6,
  parameter int W          = 24
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       vta_i,
  // the stream's next instruction, if it is not here yet, or the end of the stream instead
  input logic       next_i,
  input logic       end_i,
  input logic [1:0] next_unit_i,
  input logic [3:0] next_pop_i,
  input logic [3:0] next_push_i,
  input logic       next_skip_i,
  // the prover's choice of when a possible event happens
  input logic       give_i,
  input logic [3:0] arrive_i,
  input logic [3:0] cmd_ready_i,
  input logic [3:0] retire_i,
  // the checker's next step
  input logic       c_enter_i,
  input logic       c_start_i,
  input logic       c_end_i,
  input logic [1:0] c_unit_i,
  input logic [3:0] c_mask_i
);
  initial assume (!rst_ni);
  // The units with which a unit exchanges tokens; in profile vta LOAD and STORE do so with COMPUTE (GEMM's gate) only.
  function automatic [3:0] partners_of(input int unit);
    partners_of = !vta_i ? ~(4'd1 << unit) : unit == 1 ? 4'b1001 : unit == 2 ? 4'b0000 : 4'b0010;
  endfunction
  function automatic [2:0] depth_of(input int from, input int to);
    depth_of = (vta_i && (from == 1 || to == 1) && from != 2 && to != 2) ? 3'(VtaTokens) : 3'(Tokens);
  endfunction

  // ---- Dispatch: one instruction in hand, given when its queue has room; one slot a queue holds an instruction on its
  // way.
  logic have_q, ended_q, skip_q;
  logic [1:0] unit_q;
  logic [3:0] pop_q, push_q, room, give, arrives, slot_q, slot_skip_q;
  logic [15:0] slot_pop_q, slot_push_q;
  for (genvar u = 0; u < 4; u++) begin : g_give
    assign give[u] = have_q && give_i && 32'(unit_q) == u && room[u] && !slot_q[u];
    assign arrives[u] = arrive_i[u] && (slot_q[u] || give[u]);
    always_ff @(posedge clk_i) begin
      slot_q[u] <= rst_ni && (slot_q[u] || give[u]) && !arrives[u];
      if (give[u]) {slot_pop_q[4*u+:4], slot_push_q[4*u+:4], slot_skip_q[u]} <= {pop_q, push_q, skip_q};
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {have_q, ended_q} <= '0;
    else begin
      have_q <= have_q ? give == '0 : !ended_q && next_i && !end_i;
      ended_q <= ended_q || (!have_q && next_i && end_i);
    end
    if (!have_q) {unit_q, pop_q, push_q, skip_q} <= {next_unit_i, next_pop_i, next_push_i, next_skip_i};
  end
  logic [3:0] partners;
  assign partners = partners_of(32'(next_unit_i));
  always_comb if (rst_ni) has_partners: assume (((next_pop_i | next_push_i) & ~partners) == '0);

  // ---- The network.
  logic [15:0] push, pop, some, full, missing, stalled, head_pop, oldest_push;
  logic [3:0] near, idle, stuck, retired, issues, takes, offered, oldest_skip;
  logic [11:0] promised, here, inside, limit, fly, owed;
  logic [3:0] one_promised, partners_only;
  for (genvar u = 0; u < 4; u++) begin : g_unit
    logic [3:0] some_here, pop_here, full_here, partners_here;
    assign partners_here = partners_of(u);
    for (genvar v = 0; v < 4; v++) begin : g_partner
      assign some_here[v] = some[4*v+u];
      assign pop[4*v+u] = pop_here[v];
    end
    assign full_here = full[4*u+:4];
    seen_gate #(.QueueDepth(QueueDepth), .VtaDepth(VtaDepth), .InFlight(InFlight)) u_seen (
      .clk_i, .rst_ni, .vta_i, .serial_i(vta_i && u == 1), .give_i(give[u]), .room_o(room[u]), .in_valid_i(arrives[u]), .in_num_i(1'b0),
      .in_pop_i(slot_q[u] ? slot_pop_q[4*u+:4] : pop_q), .in_push_i(slot_q[u] ? slot_push_q[4*u+:4] : push_q),
      .in_skip_i(slot_q[u] ? slot_skip_q[u] : skip_q), .cmd_ready_i(cmd_ready_i[u]), .retire_valid_i(retire_i[u] && owed[3*u+:3] != '0),
      .some_i(some_here), .pop_o(pop_here), .full_i(full_here), .near_i(near[u]), .push_o(push[4*u+:4]), .retired_o(retired[u]),
      .idle_o(idle[u]), .stuck_o(stuck[u]), .missing_o(missing[4*u+:4]), .stalled_o(stalled[4*u+:4]), .partners_i(partners_here),
      .issues_o(issues[u]), .takes_o(takes[u]), .offered_o(offered[u]), .promised_o(promised[3*u+:3]), .here_o(here[3*u+:3]),
      .inside_o(inside[3*u+:3]), .limit_o(limit[3*u+:3]), .fly_o(fly[3*u+:3]), .owed_o(owed[3*u+:3]),
      .head_pop_o(head_pop[4*u+:4]), .oldest_push_o(oldest_push[4*u+:4]), .oldest_skip_o(oldest_skip[u])
    );
    assign one_promised[u] = promised[3*u+:3] == 3'(slot_q[u]);
    assign partners_only[u] = (!slot_q[u] || ((slot_pop_q[4*u+:4] | slot_push_q[4*u+:4]) & ~partners_here) == '0) &&
                              (!have_q || 32'(unit_q) != u || ((pop_q | push_q) & ~partners_here) == '0);
  end
  tsr_tokens #(.Depth(Tokens), .Bits(3), .HasVta(1'b1), .VtaDepth(VtaTokens), .VtaBits(3), .Margin(InFlight)) u_tokens (
    .clk_i, .rst_ni, .vta_i, .push_i(push), .pop_i(pop), .some_o(some), .full_o(full), .near_o(near)
  );

  `TSR_ASSERT(promises, one_promised == '1 && partners_only == '1 && !(have_q && ended_q))

  // The machine stands for ever, before the end of the stream.
  logic dead, waits;
  assign waits = have_q && !room[unit_q];
  assign dead = stuck == '1 && (ended_q || waits) && !(ended_q && idle == '1);

  // ---- What the machine has done: counts.
  logic [W-1:0] total_q;                               // instructions that entered a queue
  logic [4*W-1:0] given_q, started_q, done_q;          // of each unit: entered, started, ended
  logic [16*W-1:0] pushed_q, popped_q;                 // of each pair of units: tokens
  // ---- The same counts of isa::Units, which begins when the machine is dead.
  logic [W-1:0] c_total_q;
  logic [4*W-1:0] c_given_q, c_started_q, c_done_q;
  logic [16*W-1:0] c_pushed_q, c_popped_q;
  always_comb if (rst_ni) numbers_last: assume (total_q < {W{1'b1}} - W'(1));

  // The checker's step: whether its rules allow it, and whether it is one that the machine has not done.
  logic [3:0] c_room, c_running, c_queued, c_mask, c_some, c_full, at_start, at_end;
  logic c_enter, c_start, c_end, at_enter, c_may, c_passes, c_goes;
  assign at_enter = c_total_q == total_q;
  for (genvar u = 0; u < 4; u++) begin : g_checker
    assign c_room[u] = c_given_q[W*u+:W] - c_started_q[W*u+:W] < W'(limit[3*u+:3]);
    assign c_queued[u] = c_given_q[W*u+:W] != c_started_q[W*u+:W];
    assign c_running[u] = c_started_q[W*u+:W] != c_done_q[W*u+:W];
    assign at_start[u] = c_started_q[W*u+:W] == started_q[W*u+:W];
    assign at_end[u] = c_done_q[W*u+:W] == done_q[W*u+:W];
  end
  logic [15:0] pair_some, pair_full;
  for (genvar p = 0; p < 16; p++) begin : g_c_pair
    logic [2:0] depth;
    assign depth = depth_of(p / 4, p % 4);
    assign pair_some[p] = c_pushed_q[W*p+:W] != c_popped_q[W*p+:W];
    assign pair_full[p] = c_pushed_q[W*p+:W] - c_popped_q[W*p+:W] == W'(depth);
  end
  for (genvar v = 0; v < 4; v++) begin : g_c_partner
    assign c_some[v] = pair_some[{2'(v), c_unit_i}];
    assign c_full[v] = pair_full[{c_unit_i, 2'(v)}];
  end
  assign c_enter = dead && c_enter_i;
  assign c_start = dead && !c_enter_i && c_start_i;
  assign c_end = dead && !c_enter_i && !c_start_i && c_end_i;
  assign c_mask = (c_start && at_start[c_unit_i]) ? head_pop[4*c_unit_i+:4] :
                  (c_end && at_end[c_unit_i]) ? oldest_push[4*c_unit_i+:4] : c_mask_i;
  assign c_may = c_enter ? c_room[c_unit_i] && (!at_enter || (have_q && c_unit_i == unit_q)) :
                 c_start ? !c_running[c_unit_i] && c_queued[c_unit_i] && (c_mask & ~c_some) == '0 :
                 c_end && c_running[c_unit_i] && (c_mask & c_full) == '0;
  assign c_passes = c_may && (c_enter ? at_enter : c_start ? at_start[c_unit_i] : at_end[c_unit_i]);
  assign c_goes = c_may && !c_passes;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) {total_q, c_total_q} <= '0;
    else begin
      total_q <= total_q + W'(give != '0);
      c_total_q <= c_total_q + W'(c_goes && c_enter);
    end
  end
  logic [3:0] queue_counts, flight_counts, c_order, c_behind, same_order;
  for (genvar u = 0; u < 4; u++) begin : g_counts
    logic mine;
    assign mine = c_goes && 32'(c_unit_i) == u;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        {given_q[W*u+:W], started_q[W*u+:W], done_q[W*u+:W]} <= '0;
        {c_given_q[W*u+:W], c_started_q[W*u+:W], c_done_q[W*u+:W]} <= '0;
      end else begin
        given_q[W*u+:W] <= given_q[W*u+:W] + W'(give[u]);
        started_q[W*u+:W] <= started_q[W*u+:W] + W'(issues[u]);
        done_q[W*u+:W] <= done_q[W*u+:W] + W'(retired[u]);
        c_given_q[W*u+:W] <= c_given_q[W*u+:W] + W'(mine && c_enter);
        c_started_q[W*u+:W] <= c_started_q[W*u+:W] + W'(mine && c_start);
        c_done_q[W*u+:W] <= c_done_q[W*u+:W] + W'(mine && c_end);
      end
    end
    // The counts give the gate's contents and do not wrap.
    assign queue_counts[u] = given_q[W*u+:W] == started_q[W*u+:W] + W'(inside[3*u+:3]) && started_q[W*u+:W] <= given_q[W*u+:W] &&
                             given_q[W*u+:W] <= total_q;
    assign flight_counts[u] = started_q[W*u+:W] == done_q[W*u+:W] + W'(fly[3*u+:3]) && done_q[W*u+:W] <= started_q[W*u+:W];
    assign c_order[u] = c_done_q[W*u+:W] <= c_started_q[W*u+:W] && c_started_q[W*u+:W] <= c_given_q[W*u+:W] &&
                        c_started_q[W*u+:W] - c_done_q[W*u+:W] <= W'(1);
    assign c_behind[u] = c_started_q[W*u+:W] <= started_q[W*u+:W] && c_done_q[W*u+:W] <= done_q[W*u+:W];
    assign same_order[u] = c_given_q[W*u+:W] <= given_q[W*u+:W] && (!at_enter || c_given_q[W*u+:W] == given_q[W*u+:W]);
  end
  // The counts give the contents of all gates and do not wrap; the checker is not ahead of the machine.
  `TSR_ASSERT(queues, queue_counts == '1)
  `TSR_ASSERT(flights, flight_counts == '1)
  `TSR_ASSERT(in_order, c_order == '1)
  `TSR_ASSERT(not_ahead, c_behind == '1)
  // The same instructions enter the queues in the same order.
  always_comb if (rst_ni) same_entries: assume (same_order == '1);
  `TSR_ASSERT(c_total_behind, c_total_q <= total_q)

  // Counters, as tsr_tokens has them.
  (* hierconn *) logic [2:0] \u_tokens.g_pair[1].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[1].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[1].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[2].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[2].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[2].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[3].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[3].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[3].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[4].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[4].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[4].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[6].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[6].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[6].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[7].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[7].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[7].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[8].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[8].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[8].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[9].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[9].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[9].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[11].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[11].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[11].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[12].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[12].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[12].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[13].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[13].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[13].g_counter.u_count.down_q ;
  (* hierconn *) logic [2:0] \u_tokens.g_pair[14].g_counter.u_count.behind_q ;
  (* hierconn *) logic \u_tokens.g_pair[14].g_counter.u_count.up_q ;
  (* hierconn *) logic \u_tokens.g_pair[14].g_counter.u_count.down_q ;
  logic [47:0] behind;
  logic [15:0] up, down;
  assign behind = {
    3'd0, \u_tokens.g_pair[14].g_counter.u_count.behind_q ,
    \u_tokens.g_pair[13].g_counter.u_count.behind_q , \u_tokens.g_pair[12].g_counter.u_count.behind_q ,
    \u_tokens.g_pair[11].g_counter.u_count.behind_q , 3'd0,
    \u_tokens.g_pair[9].g_counter.u_count.behind_q , \u_tokens.g_pair[8].g_counter.u_count.behind_q ,
    \u_tokens.g_pair[7].g_counter.u_count.behind_q , \u_tokens.g_pair[6].g_counter.u_count.behind_q ,
    3'd0, \u_tokens.g_pair[4].g_counter.u_count.behind_q ,
    \u_tokens.g_pair[3].g_counter.u_count.behind_q , \u_tokens.g_pair[2].g_counter.u_count.behind_q ,
    \u_tokens.g_pair[1].g_counter.u_count.behind_q , 3'd0
  };
  assign up = {
    1'd0, \u_tokens.g_pair[14].g_counter.u_count.up_q ,
    \u_tokens.g_pair[13].g_counter.u_count.up_q , \u_tokens.g_pair[12].g_counter.u_count.up_q ,
    \u_tokens.g_pair[11].g_counter.u_count.up_q , 1'd0,
    \u_tokens.g_pair[9].g_counter.u_count.up_q , \u_tokens.g_pair[8].g_counter.u_count.up_q ,
    \u_tokens.g_pair[7].g_counter.u_count.up_q , \u_tokens.g_pair[6].g_counter.u_count.up_q ,
    1'd0, \u_tokens.g_pair[4].g_counter.u_count.up_q ,
    \u_tokens.g_pair[3].g_counter.u_count.up_q , \u_tokens.g_pair[2].g_counter.u_count.up_q ,
    \u_tokens.g_pair[1].g_counter.u_count.up_q , 1'd0
  };
  assign down = {
    1'd0, \u_tokens.g_pair[14].g_counter.u_count.down_q ,
    \u_tokens.g_pair[13].g_counter.u_count.down_q , \u_tokens.g_pair[12].g_counter.u_count.down_q ,
    \u_tokens.g_pair[11].g_counter.u_count.down_q , 1'd0,
    \u_tokens.g_pair[9].g_counter.u_count.down_q , \u_tokens.g_pair[8].g_counter.u_count.down_q ,
    \u_tokens.g_pair[7].g_counter.u_count.down_q , \u_tokens.g_pair[6].g_counter.u_count.down_q ,
    1'd0, \u_tokens.g_pair[4].g_counter.u_count.down_q ,
    \u_tokens.g_pair[3].g_counter.u_count.down_q , \u_tokens.g_pair[2].g_counter.u_count.down_q ,
    \u_tokens.g_pair[1].g_counter.u_count.down_q , 1'd0
  };
  logic [15:0] counted, c_counted, has_room, same_pops, same_pushes;
  for (genvar p = 0; p < 16; p++) begin : g_pair_counts
    localparam int From = p / 4, To = p % 4;
    if (From != To) begin : g_counts
      logic [2:0] tokens, depth;
      logic mine_start, mine_end;
      assign tokens = behind[3*p+:3] + 3'(up[p]) - 3'(down[p]);
      assign depth = depth_of(From, To);
      assign mine_start = c_goes && c_start && 32'(c_unit_i) == To && c_mask[From];
      assign mine_end = c_goes && c_end && 32'(c_unit_i) == From && c_mask[To];
      always_ff @(posedge clk_i) begin
        if (!rst_ni) {pushed_q[W*p+:W], popped_q[W*p+:W], c_pushed_q[W*p+:W], c_popped_q[W*p+:W]} <= '0;
        else begin
          pushed_q[W*p+:W] <= pushed_q[W*p+:W] + W'(push[p]);
          popped_q[W*p+:W] <= popped_q[W*p+:W] + W'(pop[p]);
          c_pushed_q[W*p+:W] <= c_pushed_q[W*p+:W] + W'(mine_end);
          c_popped_q[W*p+:W] <= c_popped_q[W*p+:W] + W'(mine_start);
        end
      end
      assign counted[p] = !(up[p] && down[p]) && pushed_q[W*p+:W] == popped_q[W*p+:W] + W'(tokens) && tokens <= depth &&
                          pushed_q[W*p+:W] <= done_q[W*From+:W] && popped_q[W*p+:W] <= pushed_q[W*p+:W];
      assign c_counted[p] = c_popped_q[W*p+:W] <= c_pushed_q[W*p+:W] && c_pushed_q[W*p+:W] - c_popped_q[W*p+:W] <= W'(depth);
      assign has_room[p] = (fly[3*From+:3] <= 3'd1 || 4'(tokens) + 4'(fly[3*From+:3]) <= 4'(depth)) &&
                           (!offered[From] || fly[3*From+:3] == '0 || 4'(tokens) + 4'(fly[3*From+:3]) < 4'(depth));
      assign same_pops[p] = c_popped_q[W*p+:W] <= popped_q[W*p+:W] && (!at_start[To] || c_popped_q[W*p+:W] == popped_q[W*p+:W]);
      assign same_pushes[p] = c_pushed_q[W*p+:W] <= pushed_q[W*p+:W] && (!at_end[From] || c_pushed_q[W*p+:W] == pushed_q[W*p+:W]);
    end else begin : g_none
      assign {counted[p], c_counted[p], has_room[p], same_pops[p], same_pushes[p]} = '1;
      always_ff @(posedge clk_i) {pushed_q[W*p+:W], popped_q[W*p+:W], c_pushed_q[W*p+:W], c_popped_q[W*p+:W]} <= '0;
    end
  end

  `TSR_ASSERT(count_tokens, counted == '1)
  `TSR_ASSERT(c_count_tokens, c_counted == '1)
  `TSR_ASSERT(none_behind_a_full_one, has_room == '1)
  // The same instructions have the same tokens.
  always_comb if (rst_ni) same_tokens: assume (same_pops == '1 && same_pushes == '1);

  // ---- The claims.
  `TSR_ASSERT_NEXT(stays_dead, dead, dead)
  `TSR_ASSERT_IF(does_nothing, dead, give == '0 && issues == '0 && retired == '0)
  `TSR_ASSERT(begins_then, dead || (c_total_q == '0 && c_started_q == '0 && c_done_q == '0))
  `TSR_ASSERT(never_passes, !c_passes)
  `TSR_ASSERT_IF(never_finishes, dead && ended_q, c_done_q != given_q)

  logic [3:0] waits_for_token;
  for (genvar u = 0; u < 4; u++) begin : g_waits
    assign waits_for_token[u] = missing[4*u+:4] != '0;
  end
  `TSR_COVER(all_wait_and_go_on, waits_for_token == '1 && stuck == '1 && !dead)
  `TSR_COVER(all_wait_for_ever, dead && waits_for_token == '1)
  `TSR_COVER(queue_full, dead && !ended_q)
  `TSR_COVER(of_vta, dead && vta_i)
  `TSR_COVER(checker_as_far, dead && c_total_q == total_q && c_started_q == started_q && c_done_q == done_q && done_q != '0)
endmodule
