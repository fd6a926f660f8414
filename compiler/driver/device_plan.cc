// SPDX-License-Identifier: Apache-2.0
//
// Plan "device": the integer layers in one run of the accelerator, what is left before and after it on the host.
#include <algorithm>

#include "compiler/codegen/accel/accel.h"
#include "compiler/driver/build.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/accel/host_pack.h"
#include "isa/check/check.h"

namespace tessera::compiler {
namespace {

namespace accel = codegen::accel;
using graph::TensorId;

accel::AccelRegion ToAccel(const te::RegionTe& region, size_t layer) {
  accel::AccelRegion r;
  r.layer = static_cast<uint32_t>(layer);
  r.op = region.name;
  r.output = region.output;
  r.result = region.output_id;
  for (const te::Binding& b : region.bindings) {
    if (b.activation >= 0) {
      r.activations[b.placeholder.get()] = b.activation;
    } else {
      r.constants[b.placeholder.get()] = b.constant;
    }
  }
  return r;
}

// Which regions the accelerator runs, and which of the others come before it.
struct Placement {
  std::vector<bool> on_device, before;
};

Result<Placement> Place(const Build& build) {
  const Network& n = build.network;
  Placement p{std::vector<bool>(n.regions.size()), std::vector<bool>(n.regions.size())};
  std::vector<bool> made_on_device(n.graph.tensors.size()), after_device(n.graph.tensors.size());
  for (size_t r = 0; r < n.regions.size(); ++r) {
    const graph::Region& region = n.regions[r];
    const auto any = [&](const std::vector<bool>& flags) {
      return std::ranges::any_of(region.inputs, [&](TensorId id) { return flags[static_cast<size_t>(id)]; });
    };
    const bool integers = n.graph.tensor(region.output).dtype == DType::kInt8 &&
                          std::ranges::all_of(region.inputs, [&](TensorId id) { return n.graph.tensor(id).dtype == DType::kInt8; });
    const Status can = integers ? accel::CheckRegion(ToAccel(n.te[r], r), build.options.config) : Fail(Code::kUnsupported, "it works on floats");
    if (can && any(after_device)) {
      return Fail(Code::kUnsupported, "layer {} needs a result that the host makes after the accelerator has run; one run an inference "
                  "cannot serve it (use --device cpu)", region.name);
    }
    const size_t out = static_cast<size_t>(region.output);
    if (can) {
      p.on_device[r] = made_on_device[out] = true;
    } else if (any(made_on_device) || any(after_device)) {
      after_device[out] = true;
    } else {
      p.before[r] = true;
    }
  }
  if (std::ranges::count(p.on_device, true) == 0) {
    return Fail(Code::kUnsupported, "no layer of the network runs on the accelerator (use --target cpu)");
  }
  return p;
}

// Where the elements of a tensor of |shape| are, in the terms of the artifact.
artifact::PhysicalLayout TapLayout(const isa::Packing& packing, const std::vector<int64_t>& shape) {
  ir::BufferNode node;
  node.name = "tap";
  node.shape = shape;
  node.layout = lower::accel::LayoutOf(packing, shape.size());
  artifact::PhysicalLayout layout;
  layout.shape = shape;
  for (const ir::LayoutDim& d : node.layout.dims) layout.dims.push_back({static_cast<uint32_t>(d.dim), d.div, d.mod});
  layout.strides = ir::PhysicalStrides(node);
  return layout;
}

}  // namespace

Status AddDevicePlan(Build& build) {
  const Network& n = build.network;
  TESSERA_ASSIGN(const Placement place, Place(build));
  artifact::Plan plan;
  plan.name = "device";
  for (TensorId id : n.graph.inputs) plan.inputs.push_back(build.TensorBuffer(plan.name, id));
  for (TensorId id : n.graph.outputs) plan.outputs.push_back(build.TensorBuffer(plan.name, id));
  const auto host_region = [&](size_t r) -> Status {
    TESSERA_ASSIGN(artifact::KernelStep step, build.HostRegion(plan.name, r));
    plan.steps.push_back(std::move(step));
    const TensorId out = n.regions[r].output;
    plan.taps.push_back(HostTap(static_cast<uint32_t>(r), build.TensorBuffer(plan.name, out), n.graph.tensor(out)));
    return {};
  };

  // What crosses the border: results of the host that the device reads, and the other way round.
  std::vector<accel::Activation> activations;
  for (const graph::Tensor& t : n.graph.tensors) activations.push_back({t.name, t.shape, accel::Activation::Kind::kInternal});
  std::vector<accel::AccelRegion> regions;
  for (size_t r = 0; r < n.regions.size(); ++r) {
    if (place.on_device[r]) regions.push_back(ToAccel(n.te[r], r));
    const TensorId out = n.regions[r].output;
    for (size_t user = 0; user < n.regions.size(); ++user) {
      if (std::ranges::count(n.regions[user].inputs, out) == 0 || place.on_device[r] == place.on_device[user]) continue;
      activations[static_cast<size_t>(out)].kind =
          place.on_device[r] ? accel::Activation::Kind::kOutput : accel::Activation::Kind::kInput;
    }
    if (place.on_device[r] && std::ranges::count(n.graph.outputs, out) > 0) {
      activations[static_cast<size_t>(out)].kind = accel::Activation::Kind::kOutput;
    }
  }
  accel::AccelOptions options;
  options.keep_all = true;
  options.dump = build.options.dumps.contains("schedule") || build.options.dumps.contains("ir");
  TESSERA_ASSIGN(accel::AccelProgram program, accel::CompileAccel(activations, regions, build.options.config, options));
  TESSERA_TRY(isa::RequireChecked(program.image, build.options.config));
  for (size_t i = 0; i < program.schedules.size(); ++i) {
    build.schedule_dump += fmt::format("accelerator {}:\n{}\n", regions[i].op, program.schedules[i]);
    build.ir_dump += fmt::format("// accelerator {}\n{}\n", regions[i].op, program.irs[i]);
  }

  for (size_t r = 0; r < n.regions.size(); ++r) {
    if (place.before[r]) TESSERA_TRY(host_region(r));
  }
  artifact::DeviceStep run;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const accel::ActivationPlace& in = program.inputs[i];
    const uint32_t packed = build.ArenaBuffer(fmt::format("{}.packed{}", activations[static_cast<size_t>(in.activation)].name, i), in.packing.bytes());
    plan.steps.push_back(build.Kernel(lower::accel::PackFunc(in.packing, fmt::format("pack_{}", i)), -1,
                                      {build.TensorBuffer(plan.name, in.activation), packed}));
    run.inputs.push_back({packed, in.segment, static_cast<uint64_t>(in.offset)});
  }
  std::vector<artifact::Step> unpack;
  for (const accel::ActivationPlace& out : program.results) {
    const size_t id = static_cast<size_t>(out.activation);
    const auto made_by = std::ranges::find(n.regions, out.activation, &graph::Region::output);
    const uint32_t layer = static_cast<uint32_t>(made_by - n.regions.begin());
    plan.taps.push_back({layer, true, 0, out.segment, static_cast<uint64_t>(out.offset), TapLayout(out.packing, n.graph.tensor(out.activation).shape)});
    if (activations[id].kind != accel::Activation::Kind::kOutput) continue;
    const uint32_t packed = build.ArenaBuffer(activations[id].name + ".packed", out.packing.bytes());
    run.outputs.push_back({packed, out.segment, static_cast<uint64_t>(out.offset)});
    unpack.push_back(build.Kernel(lower::accel::UnpackFunc(out.packing, fmt::format("unpack_{}", id)), -1,
                                  {packed, build.TensorBuffer(plan.name, out.activation)}));
  }
  plan.steps.push_back(std::move(run));
  for (artifact::Step& step : unpack) plan.steps.push_back(std::move(step));
  for (size_t r = 0; r < n.regions.size(); ++r) {
    if (!place.on_device[r] && !place.before[r]) TESSERA_TRY(host_region(r));
  }
  build.net.program = std::move(program.image);
  build.net.plans.push_back(std::move(plan));
  return {};
}

}  // namespace tessera::compiler
