// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/steps.md: the steps of schedules with their text, an example and its loops.
#include <cstdio>
#include <map>
#include <string>

#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/network_step.h"
#include "tools/docs/step_examples.h"

namespace tessera::lower {
namespace {

// |text| as a block of Markdown.
std::string Block(const std::string& text) {
  std::string out = "    ";
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += "    ";
  }
  return out.ends_with('\n') ? out : out + "\n";
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// What layers of a program agree on.
std::string NetworkSteps() {
  return "\n## Network traces\n\n"
         "Layers of one program of the accelerator agree on what stays in INP between them. A "
         "layer's part is its network trace,\nunder the heading `accelerator.network LAYER:`; "
         "`--dump schedule` prints it in front of the layer's schedule, and\n`--schedule` takes "
         "it. A trace decides all of it: a step that is not there does not happen, and a layer "
         "without a trace is\nfor the compiler to decide. The generator makes the layer's "
         "schedule for it. A schedule that is given keeps its own\n`set_scope .. inp` and "
         "`fold_storage`, and its network trace has to agree.\n\n" +
         Block(Joined(schedule::NetworkStepUsages())) +
         "\n`stay` keeps the layer's result in INP until its last reader has run.\n\n"
         "`turns 3 2 1` lets this layer and the next two take turns. A tile of work of this layer "
         "has 2 rows; INP holds a band of\nrows of the results between the layers. A layer may "
         "be 1 tile further than the next one waits for: with more to spare it\nwaits less, and "
         "the band is larger. `turns 2 2 1 3` does so for three blocks of channels at a time: the "
         "layers run over\nall rows of these, then over those of the next three, and the band has "
         "three blocks. All but the first layer keep\nchannels apart (depthwise, pools). The first "
         "one reads its input once for each set of blocks. The last layer may\nsum over the "
         "channels instead: its sums stay in ACC from the first set of blocks to the last.\n\n"
         "`room 3` leaves three eighths of the INP tiles for this layer's boxes to the boxes of "
         "the next layer, so that the next layer\nbegins under this one.\n\n"
         "`taps 3` is for a layer that reads the network's input: the host packs the taps of its "
         "window as channels (im2col), those\nof a column (1), of a row (2) or both (3).\n\n"
         "On the host a result has one of two layouts between layers. Under the heading "
         "`host.network LAYER:`\n\n" +
         Block(Joined(schedule::NetworkStepUsages(true))) +
         "\nhas the channels of the layer's result last (0,2,3,1); without the step the result is "
         "row-major. The plan that runs all layers\non the host has this choice. In other plans "
         "the same layers exchange tensors with the accelerator, row-major, by the same\n"
         "schedules.\n";
}

Result<std::string> Document() {
  std::string out =
      "# The steps of a schedule\n\n"
      "This page is printed by `steps_doc` (tools/docs/steps_doc.cc); run `cmake --build build "
      "-t regenerate`. A schedule is a\nlist of steps, a line each. `tessera compile MODEL --dump "
      "schedule` prints those of a network's layers; `--schedule FILE`, or\n`--schedule "
      "LAYER=FILE` "
      "for one of them, compiles by what was printed and edited; `tessera info net.tsr "
      "--schedules` "
      "tells by\nwhat an artifact was made. Here is each step with an example: the tensors, the "
      "steps, and the loops they make. A step that\nis not legal says why and changes nothing.\n\n";
  std::string usage;
  for (const std::string& line : schedule::StepUsages()) usage += line + "\n";
  out +=
      Block(usage) +
      "\n`AXIS` is a loop of the stage. `N` is a number, or `$NAME`: the value of an earlier "
      "decision. `DOMAIN` is `{A B C}`, or\n`factors STAGE AXIS` (what divides the loop's "
      "iterations) or `tiles STAGE AXIS` (ceil(iterations / k)) with, perhaps, `most N`\nand "
      "`room MEMORY BUFFERS` behind it, as often as there are memories: values with which the "
      "buffers, each its sizes in bytes as\na product, fit in the memory beside each other, in "
      "whole banks of it; `$NAME` is the value. Or it is `places STAGE`, whose\n`VALUE` is `root` "
      "or `CONSUMER AXIS` and goes to `compute_at`; or `orders STAGE`, whose `VALUE` is the loops "
      "that it orders, as\nthey are picked, and goes to `reorder`; as the `AXIS` of `compute_at` "
      "it is the innermost of them. Or it is `loops STAGE`, whose\n`VALUE` is `none` or a loop "
      "that "
      "may be parallel, and goes to `parallel`. Or it is `intrinsics STAGE AXIS`, whose `VALUE` "
      "is an\n`INTRINSIC` that sums products of such types, but none with more lanes than "
      "another that has enough for `AXIS`, and goes to\n`tensorize`. Then `$NAME.lanes` are its "
      "sums, `$NAME.depth` the products in each, and `$NAME.sums` how often its sums fit in\nseven "
      "eighths of the vector registers.\n\n"
      "No value of a domain is illegal where it stands. What the steps behind it make of it is "
      "known to who writes them: of a\nschedule that `--dump schedule` prints, decisions may be "
      "picked in their order, any value of each domain as the picks before\nleave it, and all "
      "other "
      "steps stay legal and have room. What is not counted is the machine's tokens: a program of "
      "very small\ntiles may want more at a time than a counter holds, which is said.\n\n"
      "Where `N` does not divide, a condition skips the last iterations of a `split`. With `pad` "
      "they run: every tensor that the loop\nindexes needs a layout with room for them, and where "
      "the loop is of a sum, a factor of what is summed has to be 0 there, by the\nfill of its "
      "layout or by `reindex`; loops that break this are refused. With `overlap`, which is for "
      "reductions, the last part\nbegins earlier so that it is whole; what it has in common with "
      "the part before does not count, by a condition or by a `reindex`\nwith 0.\n\n"
      "`SCOPE` is a memory and `INTRINSIC` an instruction of the target: [targets](targets.md) has "
      "them all.\n\n"
      "`OPERAND` is the way to a part of the stage's expression, from the outermost operation "
      "inwards, operands counted from 0: in\n`i8(clamp_add(requant(a + b, m, s), z, l, h))` the "
      "operand of the cast is `0`, `requant` is `0.0`, `a + b` is `0.0.0` and `b` is\n`0.0.0.1`. "
      "A `select` has its condition as `0` and its values as `1` and `2`; `.` is the whole "
      "expression.\n\n"
      "`layout x 0,1/16,2,1%16` names the dimensions of a buffer in memory, the outermost first. "
      "`2` is dimension 2 of the tensor. The\nwords with 1 are its dimension 1: the index divided "
      "by 16, rounded down, and the remainder, so blocks of 16, of which the last is\nfilled up "
      "with `FILL`. `3/9,3/3%3,3%3` is dimension 3 in three words, as the digits of a number. "
      "`1+2+1` is dimension 2 with one\nplace more in front and one more behind: a halo, which "
      "holds `FILL`, so that a window reads past the tensor's edge.\n"
      "`0:1024,2:64,3:1` says how many elements one index is behind the one before it; without "
      "these numbers there are no gaps.\nNumbers with which two elements could share a place are "
      "refused.\n"
      "A block may be a product of numbers and decisions, `0/16*$blocks`: the layout then follows "
      "what was picked. Words of one\nindex, as `0%$blocks` where 1 was picked, are left out.\n";
  // Headings are link targets, so each must be unique.
  std::map<std::string, int> shown;
  for (const StepExample& example : StepExamples()) {
    const int before = shown[example.name]++;
    const std::string title =
        before == 0 ? example.name : example.name + ", example " + std::to_string(before + 1);
    const Result<schedule::Schedule> s = ScheduleOf(example);
    if (!s) return Within(example.name, s.error());
    const Result<ir::Func> func = BuildLoops(*s, "f");
    if (!func) return Within(example.name, func.error());
    out += "\n## " + title + "\n\n" + example.shows + "\n\n" + Block(te::Print({example.output})) +
           "\n" + Block(example.steps) + "\n" +
           Block(ir::Print(ir::Simplify(InterleaveThreads(*func))));
  }
  return out + NetworkSteps();
}

}  // namespace
}  // namespace tessera::lower

int main() {
  const tessera::Result<std::string> document = tessera::lower::Document();
  if (!document) {
    std::fprintf(stderr, "steps_doc: %s\n", document.error().message.c_str());
    return 1;
  }
  std::fwrite(document->data(), 1, document->size(), stdout);
  return 0;
}
