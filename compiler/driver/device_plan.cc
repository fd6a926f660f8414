// SPDX-License-Identifier: Apache-2.0
//
// Plan "device": the integer layers in one run of the accelerator, what is left before and after it
// on the host.
#include <algorithm>

#include "compiler/codegen/accel/accel.h"
#include "compiler/driver/accel_region.h"
#include "compiler/driver/build.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/accel/host_pack.h"
#include "compiler/schedule/accel/region.h"
#include "isa/check/check.h"

namespace tessera::compiler {
namespace {

namespace accel = codegen::accel;
using graph::TensorId;

// Views on the device have the place of what they view.
TensorId Root(const Build& build, const std::vector<bool>& on_device, TensorId id) {
  for (size_t r = 0; r < build.network.regions.size(); ++r) {
    if (build.network.regions[r].output != id || !on_device[r]) continue;
    if (const std::optional<TensorId> viewed = build.Viewed(r))
      return Root(build, on_device, *viewed);
  }
  return id;
}

accel::AccelRegion ToAccel(const Build& build, const std::vector<bool>& on_device, size_t layer) {
  accel::AccelRegion r = BindRegion(build.network.te[layer]);
  r.layer = static_cast<uint32_t>(layer);
  for (auto& [placeholder, activation] : r.activations)
    activation = Root(build, on_device, activation);
  return r;
}

// Whether the elements of two tensors of one count lie alike in the machine's layout.
bool SamePlace(const graph::GraphTensor& a, const graph::GraphTensor& b) {
  return a.shape.size() <= 4 && b.shape.size() <= 4 &&
         schedule::accel::ToShape4(a.shape) == schedule::accel::ToShape4(b.shape);
}

// Which regions the accelerator runs, and which of the others come before it.
struct Placement {
  std::vector<bool> on_device, before;
};

Result<Placement> Place(const Build& build) {
  const FusedNetwork& n = build.network;
  Placement p{std::vector<bool>(n.regions.size()), std::vector<bool>(n.regions.size())};
  std::vector<bool> made_on_device(n.graph.tensors.size()), after_device(n.graph.tensors.size());
  for (size_t r = 0; r < n.regions.size(); ++r) {
    const graph::Region& region = n.regions[r];
    const auto any = [&](const std::vector<bool>& flags) {
      return std::ranges::any_of(region.inputs,
                                 [&](TensorId id) { return flags[static_cast<size_t>(id)]; });
    };
    const bool integers = n.graph.tensor(region.output).dtype == DType::kInt8 &&
                          std::ranges::all_of(region.inputs, [&](TensorId id) {
                            return n.graph.tensor(id).dtype == DType::kInt8;
                          });
    const auto check = [&]() -> Status {
      if (!integers) return Fail(Code::kUnsupported, "it works on floats");
      const std::optional<TensorId> viewed = build.Viewed(r);
      if (viewed && SamePlace(n.graph.tensor(*viewed), n.graph.tensor(region.output))) {
        if (made_on_device[static_cast<size_t>(*viewed)]) return {};
        return Fail(Code::kUnsupported, "a view of what the host makes");
      }
      return accel::CheckRegion(ToAccel(build, p.on_device, r), build.options.config);
    };
    const Status can = check();
    if (can && any(after_device)) {
      return Fail(Code::kUnsupported,
                  "layer {} needs a result that the host makes after the accelerator has run; one "
                  "run an inference "
                  "cannot serve it (use --device cpu)",
                  region.name);
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
    return Fail(Code::kUnsupported,
                "no layer of the network runs on the accelerator (use --target cpu)");
  }
  return p;
}

// Whether a tensor lies in the machine's memory byte for byte as it lies row-major: nothing to
// pack.
bool SameBytes(const isa::Packing& p) {
  return p.plain() && p.rows == 1 && p.bytes() == p.elements() &&
         (p.out_y * p.out_x == 1 || p.block == 1);
}

// Where the elements of a tensor of |shape| are, in the terms of the artifact.
artifact::PhysicalLayout TapLayout(const isa::Packing& packing, const std::vector<int64_t>& shape) {
  ir::BufferNode node;
  node.name = "tap";
  node.shape = shape;
  node.layout = lower::accel::LayoutOf(packing, shape.size());
  artifact::PhysicalLayout layout;
  layout.shape = shape;
  for (const ir::LayoutDim& d : node.layout.dims)
    layout.dims.push_back({static_cast<uint32_t>(d.dim), d.div, d.mod});
  layout.strides = ir::PhysicalStrides(node);
  return layout;
}

}  // namespace

Status AddDevicePlan(Build& build) {
  const FusedNetwork& n = build.network;
  TESSERA_ASSIGN(const Placement place, Place(build));
  artifact::ExecutionPlan plan;
  plan.name = "device";
  for (TensorId id : n.graph.inputs) {
    plan.inputs.push_back(build.UserBuffer(plan.name, id));
    // The packing brings the order about too; other readers want the graph's own.
    bool by_host = false;
    for (size_t r = 0; r < n.regions.size(); ++r)
      by_host |= !place.on_device[r] && std::ranges::count(n.regions[r].inputs, id) > 0;
    if (by_host) build.AddOrderStep(plan, id, false);
  }
  for (TensorId id : n.graph.outputs) plan.outputs.push_back(build.UserBuffer(plan.name, id));

  // What crosses the border: results of the host that the device reads, and the other way round.
  std::vector<accel::Activation> activations;
  for (const graph::GraphTensor& t : n.graph.tensors)
    activations.push_back({t.name, t.shape, accel::Activation::Kind::kInternal});
  for (const TensorId id : n.graph.inputs)
    activations[static_cast<size_t>(id)].kind = accel::Activation::Kind::kInput;
  std::vector<accel::AccelRegion> regions;
  for (size_t r = 0; r < n.regions.size(); ++r) {
    const TensorId out = n.regions[r].output;
    const auto root = static_cast<size_t>(Root(build, place.on_device, out));
    if (place.on_device[r] && static_cast<size_t>(out) == root)
      regions.push_back(ToAccel(build, place.on_device, r));
    for (size_t user = 0; user < n.regions.size(); ++user) {
      if (std::ranges::count(n.regions[user].inputs, out) == 0 ||
          place.on_device[r] == place.on_device[user])
        continue;
      activations[root].kind =
          place.on_device[r] ? accel::Activation::Kind::kOutput : accel::Activation::Kind::kInput;
    }
    if (place.on_device[r] && std::ranges::count(n.graph.outputs, out) > 0) {
      activations[root].kind = accel::Activation::Kind::kOutput;
    }
  }
  accel::AccelOptions options;
  options.keep_all = true;
  options.store_all = build.options.observe;
  options.dump = build.options.dumps.contains("schedule") || build.options.dumps.contains("ir");
  TESSERA_ASSIGN(accel::AccelProgram program,
                 accel::CompileAccel(activations, regions, build.options.config, options));
  TESSERA_TRY(isa::RequireChecked(program.image, build.options.config));
  for (size_t i = 0; i < program.schedules.size(); ++i) {
    build.schedule_dump +=
        fmt::format("accelerator {}:\n{}\n", regions[i].op, program.schedules[i]);
    build.ir_dump += fmt::format("// accelerator {}\n{}\n", regions[i].op, program.irs[i]);
  }

  for (size_t r = 0; r < n.regions.size(); ++r) {
    if (place.before[r]) TESSERA_TRY(build.AddHostRegion(plan, r));
  }
  artifact::DeviceStep run;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const accel::ActivationPlace& in = program.inputs[i];
    const bool from_user = std::ranges::count(n.graph.inputs, in.activation) > 0;
    const std::vector<int> order =
        from_user ? n.graph.tensor(in.activation).order : std::vector<int>{};
    if (order.empty() && SameBytes(in.packing)) {
      run.inputs.push_back({build.TensorBuffer(plan.name, in.activation), in.segment,
                            static_cast<uint64_t>(in.offset)});
      continue;
    }
    const uint32_t packed = build.ArenaBuffer(
        fmt::format("{}.packed{}", activations[static_cast<size_t>(in.activation)].name, i),
        in.packing.bytes());
    plan.steps.push_back(
        build.Kernel(lower::accel::PackFunc(in.packing, fmt::format("pack_{}", i), order), -1,
                     {order.empty() ? build.TensorBuffer(plan.name, in.activation)
                                    : build.UserBuffer(plan.name, in.activation),
                      packed}));
    run.inputs.push_back({packed, in.segment, static_cast<uint64_t>(in.offset)});
  }
  std::vector<artifact::PlanStep> unpack;
  for (const accel::ActivationPlace& out : program.results) {
    const size_t id = static_cast<size_t>(out.activation);
    for (size_t r = 0; r < n.regions.size(); ++r) {
      const TensorId made = n.regions[r].output;
      if (!place.on_device[r] || Root(build, place.on_device, made) != out.activation) continue;
      plan.taps.push_back({static_cast<uint32_t>(r), true, 0, out.segment,
                           static_cast<uint64_t>(out.offset),
                           TapLayout(out.packing, n.graph.tensor(made).shape)});
    }
    if (activations[id].kind != accel::Activation::Kind::kOutput) continue;
    if (SameBytes(out.packing)) {
      run.outputs.push_back({build.TensorBuffer(plan.name, out.activation), out.segment,
                             static_cast<uint64_t>(out.offset)});
      continue;
    }
    const uint32_t packed =
        build.ArenaBuffer(activations[id].name + ".packed", out.packing.bytes());
    run.outputs.push_back({packed, out.segment, static_cast<uint64_t>(out.offset)});
    unpack.push_back(
        build.Kernel(lower::accel::UnpackFunc(out.packing, fmt::format("unpack_{}", id)), -1,
                     {packed, build.TensorBuffer(plan.name, out.activation)}));
  }
  plan.steps.push_back(std::move(run));
  for (artifact::PlanStep& step : unpack) plan.steps.push_back(std::move(step));
  for (size_t r = 0; r < n.regions.size(); ++r) {
    if (!place.on_device[r] && !place.before[r]) TESSERA_TRY(build.AddHostRegion(plan, r));
  }
  for (TensorId id : n.graph.outputs) build.AddOrderStep(plan, id, true);
  build.net.program = std::move(program.image);
  build.net.plans.push_back(std::move(plan));
  return {};
}

}  // namespace tessera::compiler
