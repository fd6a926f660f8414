// SPDX-License-Identifier: Apache-2.0
//
// Uses the model through its header; exits with the sum for a = 41.
#include "Vtoy.h"

int main() {
  Vtoy toy;
  toy.a_i = 41;
  toy.eval();
  const int sum = toy.sum_o;
  toy.final();
  return sum;
}
