// SPDX-License-Identifier: Apache-2.0
//
// Passes over graphs. Each leaves a graph that Verify accepts and that computes the same integers,
// and the same floats except as FoldFactors says.
#ifndef TESSERA_COMPILER_GRAPH_PASSES_H_
#define TESSERA_COMPILER_GRAPH_PASSES_H_

#include "compiler/graph/graph.h"

namespace tessera::graph {

// Removes nodes whose results are unused, and tensors without references.
void RemoveDead(Graph& graph);

// dense(reshape(x)) of an image becomes a convolution whose window is the whole image: the same
// products, without transposing a blocked layout. dense(reshape(transpose(x))) is treated likewise
// if the transposition is NCHW to NHWC; the weights are reordered.
void DenseToConv(Graph& graph);

// conv(pad(x)) becomes a convolution with larger pads if the padding is spatial and filled with the
// zero point, as a convolution's own pads are.
void FoldPads(Graph& graph);

// A transposition of a transposition becomes one, and none if it leaves every axis where it was.
void FoldTransposes(Graph& graph);

// int8 matrix products over several leading axes get one leading axis; products with one matrix for
// all become one product of more rows. The accelerator's tensors have a batch, channels and
// positions. Operators beside products and dense layers that work on each row by itself, as sums
// and functions of one value do, get the same shapes, so that one layout serves all of them. The
// reshapes added around them move no data.
void MergeBatches(Graph& graph);

// An int8 product with a different matrix for each image becomes one product per image, with slices
// before and a concat behind: for machines whose GEMM has rows of several images, which share their
// weights. Runs after MergeBatches.
void SplitImages(Graph& graph);

// conv(x) * a + b, where a and b are constants per output channel, becomes one convolution with
// other weights and bias. Dense layers and transposed convolutions, quotients and differences are
// folded the same way; BatchNormalization becomes such a pair. Applies to float32 only: results
// differ in the last digits, because the products of constants are rounded instead of the sums.
// Integer nodes are kept: their folded weights would be other integers. Values that leave the range
// of floats are kept, too.
void FoldFactors(Graph& graph);

// Of the two operands of an elementwise operator that fusion could give it to, the one with more
// multiply-accumulates comes last, because the operator joins the last one: its loads and its work
// on vectors hide behind the products. Runs after the other passes.
void OrderOperands(Graph& graph);

// Runs all passes that always pay off, in order.
void Simplify(Graph& graph);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_PASSES_H_
