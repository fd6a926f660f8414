// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the host's generators: a schedule under construction, and questions about its stages.
// Internal to compiler/schedule.
#ifndef TESSERA_COMPILER_SCHEDULE_HOST_STEPS_H_
#define TESSERA_COMPILER_SCHEDULE_HOST_STEPS_H_

#include <string>
#include <vector>

#include "compiler/schedule/host.h"
#include "compiler/te/roles.h"

namespace tessera::schedule {

class HostSteps {
 public:
  HostSteps(Schedule schedule, const HostOptions& host_options, SketchChoice* choice)
      : s(std::move(schedule)), options(host_options), sketch(*choice) {}

  // The dimensions of |tensor| in memory order, innermost last; empty if one is in blocks.
  std::vector<size_t> MemoryOrder(const std::string& tensor) const;
  // Puts the loops of a stage without splits in memory order, and vectorizes the last one if its
  // reads are contiguous.
  Status InMemoryOrder(const std::string& stage);
  // Decides, as |name|, the order of those of |loops| in |of|, loops of |stage| from the outermost
  // to the innermost. Returns the innermost one, whatever is picked, as a word for compute_at.
  Result<std::string> Order(const std::string& name, const std::string& stage,
                            const std::vector<std::string>& loops);
  // Decides which loop of |stage| is parallel, if the work of the whole stage, with |reduced| for
  // each element, is worth sharing: the outermost that has enough iterations.
  Status Share(const std::string& stage, const std::vector<te::AxisRole>& reduced = {});
  // Puts the sums of |anchor| into registers: those of the output itself if it reads them in place,
  // else those of a stage behind them, which has the results.
  struct Sums {
    std::string home, acc;  // the stages of the results and of the sums
  };
  Result<Sums> SumsInRegisters(const std::string& anchor);
  // The dimension of |stage| along |axis|, which it has.
  size_t DimensionOf(const std::string& stage, const std::string& axis) const;
  // Decides, as |name|, a divisor of |n|: |value| by default.
  Status DecideDivisor(const std::string& name, int64_t n, int64_t value);
  // Makes the stages without a sum that only |stage| reads a part of it.
  Status InlineInto(const std::string& stage);
  // Spreads the rows along physical dimension |dim| of |stage|, |bytes| apart, over the places of
  // the nearest cache, if a loop reads |rows| of them again and again and they do not fit with as
  // many others: then they are an odd number of lines apart.
  Status SpreadRows(const std::string& stage, int64_t dim, int64_t bytes, int64_t rows);
  // Skips the taps of the sum |stage|, which reduces over |reduced|, that read pads of 0 at all of
  // its points along |point|.
  Status SkipPads(const std::string& stage, const std::vector<te::AxisRole>& reduced,
                  const te::AxisRole* point);

  Schedule s;
  const HostOptions options;
  SketchChoice& sketch;

 private:
  int shared_ = 0;  // decisions of Share
};

// Divisors of |n| up to |most|, smallest first.
std::vector<int64_t> Divisors(int64_t n, int64_t most);
// Whether |reader| reads |tensor| only at its own axes.
bool ReadsInPlace(const Stage& reader, const std::string& tensor);
// The permutation of |rank| dimensions that puts |dim| last, as layout text.
std::string LastLayout(int rank, int dim);
// |rank| dimensions in order, |dim| in blocks of |size|, a word, whose elements are last.
std::string BlockedLayout(size_t rank, size_t dim, const char* size);
// The index of |of| in |axes|.
size_t DimOf(const std::vector<te::AxisRole>& axes, const te::AxisRole& of);
// The data axis whose points stay in registers: the last one with more than one iteration, except
// |lane|; null: none.
const te::AxisRole* PointAxis(const te::Roles& roles, const te::AxisRole& lane);

// Whether DotSchedule accepts the reduction: types for which the target has an intrinsic; of
// integers an input that is a stage, so that the schedule chooses its layout; weights
// that are an input of the function, one axis of input channels, output channels that the lanes of
// the intrinsic divide. Of floats a fused sum, channels outermost.
bool IsDot(const Schedule& s, const Stage& anchor, const te::Roles& roles);
struct DotOptions {
  // Its loops will be inside those of another stage, which its threads share.
  bool inner = false;
  // It schedules the input of its sums; false: that has a schedule of its own.
  bool input = true;
  std::string sketch = {};  // of DotSketches; "": the first
};
// The sketches of integers by the axis along which dot products sum, or "products"; the preferred
// one is first.
std::vector<std::string> DotSketches(HostSteps& h, const std::string& anchor,
                                     const te::Roles& roles);
// Computes points x blocks of lanes in registers; of integers, two or four products of each sum at
// a time.
Status DotSchedule(HostSteps& h, const std::string& anchor, const te::Roles& roles,
                   const DotOptions& options = {});

// Whether LineSchedule accepts the reduction: channelwise sums of quads (te/product_form.h), for
// which the target has an intrinsic whose lanes the channels fill.
bool IsLine(const Schedule& s, const Stage& anchor, const te::Roles& roles);
// Computes quads of results of a line, for lanes of channels, in registers: each reads quads of
// inputs, and weights that are 0 for what it does not need of them.
Status LineSchedule(HostSteps& h, const std::string& anchor, const te::Roles& roles);

// Whether WinogradSchedule accepts the reduction: IsDot's conditions of floats or int16, a window
// of 3 x 3 with steps of 1, channels that fill vectors; of integers the sums have bits enough.
bool FitsWinograd(const Schedule& s, const Stage& anchor, const te::Roles& roles, int64_t results);
// Computes squares of |results| x |results| at a time by Winograd's transforms.
Status WinogradSchedule(HostSteps& h, const std::string& anchor, const te::Roles& roles,
                        int64_t results);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_HOST_STEPS_H_
