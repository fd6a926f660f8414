// SPDX-License-Identifier: Apache-2.0
//
// The library of SystemC has a main that calls sc_main of the program, and does not link without an
// sc_main. No program of the tree uses that main.

extern "C" int sc_main(int argc, char* argv[]);

int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
