// SPDX-License-Identifier: Apache-2.0
//
// SystemC's library calls the program's sc_main from its own main, and does not link without one.
// No program here uses that main.

extern "C" int sc_main(int argc, char* argv[]);

int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
