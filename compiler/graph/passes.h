// SPDX-License-Identifier: Apache-2.0
//
// Passes over graphs; each leaves a graph that Verify accepts and that computes the same integers,
// and the same floats but for what FoldFactors says.
#ifndef TESSERA_COMPILER_GRAPH_PASSES_H_
#define TESSERA_COMPILER_GRAPH_PASSES_H_

#include "compiler/graph/graph.h"

namespace tessera::graph {

// Removes nodes whose results nobody uses, and tensors that nothing names.
void RemoveDead(Graph& graph);

// dense(reshape(x)) of an image becomes a convolution whose window is the whole image: the same
// products, and no transposition of a blocked layout is left. So does dense(reshape(transpose(x)))
// where the transposition is NCHW to NHWC, with the weights in the other order.
void DenseToConv(Graph& graph);

// conv(pad(x)) becomes a convolution with wider pads of its own, where the pad is spatial and holds
// the zero point, which is what a convolution's pads hold.
void FoldPads(Graph& graph);

// Products of matrices of int8 over several leading axes become products over one, and those by one
// matrix for all become one product of more rows: the accelerator's tensors have a batch, channels
// and positions. The views around them move nothing.
void MergeBatches(Graph& graph);

// A product of int8 with a matrix for each image becomes a product an image, of slices that concat
// joins: for machines whose GEMM has rows of several images, which share their weights. Behind
// MergeBatches.
void SplitImages(Graph& graph);

// conv(x) * a + b, of constants a and b of which there is one an output channel, becomes one
// convolution with other weights and another bias; so do dense layers and transposed convolutions,
// and quotients and differences. BatchNormalization is such a pair. Of float32 alone, whose result
// then differs in the last places: the products of constants are rounded instead of the sums.
// Integers keep the nodes: their weights would be other integers. What leaves the floats' range
// stays, too.
void FoldFactors(Graph& graph);

// All passes that are always worth it, in order.
void Simplify(Graph& graph);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_PASSES_H_
