// SPDX-License-Identifier: Apache-2.0
//
// Mean over a window. ONNX AveragePool, GlobalAveragePool; TFLite AVERAGE_POOL_2D.
#include "compiler/ops/compose.h"
#include "compiler/ops/window.h"

namespace tessera::ops::avgpool_op {
namespace {

using graph::PoolAttributes;

bool Padded(const Window& w) {
  return w.pad_before != std::array<int64_t, 2>{} || w.pad_after != std::array<int64_t, 2>{};
}

// For each window: the number of its elements along axis |d| whose index is in [low, high). The
// image has extent |in|; indices outside of it are padding.
std::vector<int64_t> CountsOf(const Window& window, size_t d, int64_t in, int64_t low,
                              int64_t high) {
  std::vector<int64_t> counts(static_cast<size_t>(window.OutExtent(static_cast<int>(d), in)));
  for (size_t at = 0; at < counts.size(); ++at) {
    const int64_t begin = static_cast<int64_t>(at) * window.stride[d] - window.pad_before[d];
    for (int64_t k = 0; k < window.kernel[d]; ++k) {
      const int64_t place = begin + k * window.dilation[d];
      counts[at] += place >= low && place < high;
    }
  }
  return counts;
}

std::vector<int64_t> CountsOf(const Window& window, size_t d, const Shape& image) {
  return CountsOf(window, d, image[2 + d], 0, image[2 + d]);
}

// Whether some window has no element of the image.
bool Empty(const Window& window, const Shape& image) {
  return std::ranges::count(CountsOf(window, 0, image), 0) > 0 ||
         std::ranges::count(CountsOf(window, 1, image), 0) > 0;
}

// Windows over a border have different counts: floats divide by them, integers as TFLite does.
Status Check(const NodeCheck& node) {
  const Window& w = node.node.As<PoolAttributes>().window;
  const auto& quant = node.Out().quant;
  if (!Padded(w) && node.Out().dtype != DType::kInt16) return {};
  if (quant && (node.node.round != isa::Round::kTflite || node.In(0).quant != quant))
    return node.Bad(
        "an average over padding or of int16, of another scale or rounding than TFLite's");
  if (Padded(w) && Empty(w, node.In(0).shape)) return node.Bad("a window over padding alone");
  return {};
}

// Sets the factor of the mean, sum / n with halves away from zero, as one multiplication that is
// exact for every sum. A multiplier just above 2^31 / n moves halves away from zero; candidates are
// tested on all sums. To round halves up, elements are counted from the least one: away from zero
// is then up. False: no multiplier of 31 bits is exact, or there are too many sums to test.
bool MeanOfElements(const Node& node, int64_t n, Requant& requant) {
  constexpr int64_t kLargest = 1 << 16;
  if (n > kLargest) return false;
  const int64_t more_each = node.As<PoolAttributes>().upwards ? 128 : 0;
  const int64_t least = (more_each - 128) * n, most = (more_each + 127) * n;
  const auto exact = [&](int64_t multiplier, int left) {
    for (int64_t sum = least; sum <= most; ++sum) {
      const int64_t rounded = (sum + (sum >= 0 ? n / 2 : -(n / 2))) / n;
      if (((sum << left) * multiplier + (int64_t{1} << 30)) >> 31 != rounded) return false;
    }
    return true;
  };
  const int64_t furthest = std::max(-least, most + n);
  for (int left = 0; left <= 31 && furthest << left <= INT32_MAX; ++left) {
    for (int64_t more = 0; more <= 2; ++more) {
      const int64_t multiplier = (int64_t{1} << 31) / (n << left) + more;
      if (multiplier > INT32_MAX || !exact(multiplier, left)) continue;
      requant.multiplier = {static_cast<int32_t>(multiplier)};
      requant.shift = {static_cast<int8_t>(left)};
      requant.bias = {static_cast<int32_t>(more_each * n)};
      requant.out_zero = static_cast<int32_t>(-more_each);
      return true;
    }
  }
  return false;
}

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  const Window& window = node.As<PoolAttributes>().window;
  const int64_t n = window.kernel[0] * window.kernel[1];
  const Quant &in = *graph.tensor(node.inputs[0]).quant, &out = *graph.tensor(node.output).quant;
  const bool elements = node.round == isa::Round::kTflite && in == out;
  const bool tried = graph.tensor(node.output).dtype == DType::kInt8 && !Padded(window);
  if (elements && tried && MeanOfElements(node, n, requant)) return {};
  if (elements || Padded(window)) {  // DividedBody uses no factor
    requant.out_zero = 0;
    return {};
  }
  requant.bias = {static_cast<int32_t>(-in.zero[0] * n)};
  return quantize::SetFactors(node, {in.scale[0] / (out.scale[0] * static_cast<double>(n))},
                              {255 * n}, requant);
}

// The sum over the image elements of each window, divided by their count. Integers round halves
// away from zero; with |upwards| elements are counted from the least one, so that halves round up.
void DividedBody(RegionBuilder& b, const Node& node) {
  const GraphTensor& out = b.graph().tensor(node.output);
  const te::Tensor x = b.Value(node.inputs[0]);
  const auto& [window, upwards] = node.As<PoolAttributes>();
  const bool real = te::IsReal(b, node);
  const te::Tensor padded =
      te::PadSpatial(b.Name(out.name + ".padded"), x, window, ir::Const(x.dtype(), 0));
  const Axis ky = te::ReduceAxis("ky", window.kernel[0]);
  const Axis kx = te::ReduceAxis("kx", window.kernel[1]);
  Window taps = window;
  taps.pad_before = taps.pad_after = {0, 0};
  const te::Tensor sum = te::Compute(
      b.Name(out.name + ".sum"), out.shape, {"n", "c", "y", "x"}, [&](const Indices& i) {
        return te::Sum(
            Wide(padded(i[0], i[1], te::Tap(taps, 0, i[2], ky), te::Tap(taps, 1, i[3], kx))),
            {ky, kx});
      });
  const std::vector<int64_t> down = CountsOf(window, 0, x.shape()),
                             across = CountsOf(window, 1, x.shape());
  std::vector<int32_t> whole;
  std::vector<float> floats;
  for (const int64_t y : down) {
    for (const int64_t z : across) {
      whole.push_back(static_cast<int32_t>(y * z));
      floats.push_back(static_cast<float>(y * z));
    }
  }
  const Shape shape{std::ssize(down), std::ssize(across)};
  const te::Tensor counts = real ? b.Constant(out.name + ".counts", DType::kFloat32, shape, floats)
                                 : b.Constant(out.name + ".counts", DType::kInt32, shape, whole);
  te::Elements(b, node, [&, upwards = upwards](const Indices& i) {
    const Expr n = counts(i[2], i[3]);
    if (real) return te::Real(b, node, ir::Bin(ir::BinOp::kDiv, sum(i), n));
    const Expr half = ir::FloorDiv(n, I32(2));
    const Expr all = upwards ? sum(i) + n * I32(128) : ir::Abs(sum(i));
    const Expr mean = ir::FloorDiv(all + half, n);
    return te::Narrow(
        b, node,
        upwards ? mean - I32(128) : ir::Select(ir::Lt(sum(i), I32(0)), ir::Neg(mean), mean));
  });
}

void Body(RegionBuilder& b, const Node& node) {
  const bool divides = node.requant && node.requant->multiplier.empty();
  if (divides || Padded(node.As<PoolAttributes>().window)) return DividedBody(b, node);
  const GraphTensor& out = b.graph().tensor(node.output);
  const te::Tensor x = b.Value(node.inputs[0]);
  const Window& window = node.As<PoolAttributes>().window;
  const Axis ky = te::ReduceAxis("ky", window.kernel[0]);
  const Axis kx = te::ReduceAxis("kx", window.kernel[1]);
  const te::Tensor sum = te::Compute(
      b.Name(out.name + ".sum"), out.shape, {"n", "c", "y", "x"}, [&](const Indices& i) {
        return te::Sum(
            Wide(x(i[0], i[1], te::Tap(window, 0, i[2], ky), te::Tap(window, 1, i[3], kx))),
            {ky, kx});
      });
  b.SetValue(node.output, te::Epilogue(b, node, sum, window.kernel[0] * window.kernel[1]));
}

// For each window of |window| over |in|: kernel area over the number of elements that count. Image
// elements count; with |pads| those of |given|'s padding count too.
std::vector<float> Shares(const Window& window, const Window& given, const Shape& in, bool pads) {
  const auto counted = [&](size_t d) {
    return CountsOf(window, d, in[2 + d], pads ? -given.pad_before[d] : 0,
                    in[2 + d] + (pads ? given.pad_after[d] : 0));
  };
  const float area = static_cast<float>(window.kernel[0] * window.kernel[1]);
  std::vector<float> shares;
  for (const int64_t y : counted(0)) {
    for (const int64_t x : counted(1))
      shares.push_back(area / static_cast<float>(std::max<int64_t>(y * x, 1)));
  }
  return shares;
}

// Pads the image with zeros, takes the mean of every window, and scales it by Shares.
Status FromPadded(QdqConverter& c, const OnnxNode& node, TensorId given, const Window& window,
                  const Window& whole) {
  Composer make(c, node);
  const Shape own = make.shape(given);
  TESSERA_ASSIGN(TensorId x, own.size() == 4 ? Result<TensorId>(given)
                                             : make.Reshape(given, {own[0], own[1], 1, own[2]}));
  const Shape in = make.shape(x);
  graph::PadAttributes around{.pads = std::vector<std::array<int64_t, 2>>(4)};
  Shape wide = in;
  Window inner = whole;
  for (size_t d = 0; d < 2; ++d) {
    around.pads[2 + d] = {whole.pad_before[d], whole.pad_after[d]};
    wide[2 + d] += whole.pad_before[d] + whole.pad_after[d];
    inner.pad_before[d] = inner.pad_after[d] = 0;
  }
  TESSERA_ASSIGN(x, make({.op = Op::kPad, .inputs = {x}, .attributes = around}, wide));
  const Shape out = Through(inner, wide, in[1]);
  TESSERA_ASSIGN(
      x, make({.op = Op::kAvgPool, .inputs = {x}, .attributes = PoolAttributes{inner}}, out));
  const bool pads = node.IntOr("count_include_pad", 0) != 0;
  TESSERA_ASSIGN(const TensorId shares,
                 make.Floats(x, Shares(whole, window, in, pads), {1, 1, out[2], out[3]}));
  TESSERA_ASSIGN(x, make(Op::kMul, x, shares));
  if (own.size() == 3) {
    TESSERA_ASSIGN(x, make.Reshape(x, {out[0], out[1], out[3]}));
  }
  return make.Finish(x);
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId given, c.Operand(node, 0));
  Shape in = c.tensor(given).shape;
  if (in.size() == 3) in.insert(in.begin() + 2, 1);
  if (in.size() != 4) {
    return Fail(Code::kUnsupported, "{}: input shape {}; [N, C, H, W] or [N, C, L] is supported",
                node.Place(), ShapeText(in));
  }
  TESSERA_ASSIGN(const Window window, PoolWindow(c, node, in));
  const Window whole = WithCeiling(node, window, in);
  const bool counted = c.real() && IsFloat(c.tensor(given).dtype) &&
                       node.IntOr("count_include_pad", 0) == 0 && !Empty(whole, in);
  if (Padded(whole) && !counted) {
    TESSERA_ASSIGN(const TensorId plain, c.Plain(node, 0));
    return FromPadded(c, node, plain, window, whole);
  }
  const size_t rank = c.tensor(given).shape.size();
  TESSERA_ASSIGN(const TensorId x, c.Spatial4(node, given));
  return c.EmitSpatial({.op = Op::kAvgPool, .inputs = {x}, .attributes = PoolAttributes{whole}},
                       node, rank, Through(whole, in, in[1]));
}

Status FromTflite(Converter& c) { return PoolFromTflite(c, Op::kAvgPool); }

constexpr OnnxRow kOnnx[] = {{"AveragePool", FromOnnx}, {"GlobalAveragePool", FromOnnx}};
constexpr TfliteRow kTflite[] = {{"AVERAGE_POOL_2D", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kAvgPoolDef = {
    .name = "avgpool",
    .meaning = "mean over a window, padding not counted",
    .category = Category::kReduction,
    .types = kWideTypes,
    .shape = PoolShape,
    .check = Check,
    .attributes = Fits<PoolAttributes>,
    .text = PoolText,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = PoolExample,
};

}  // namespace tessera::ops::avgpool_op
