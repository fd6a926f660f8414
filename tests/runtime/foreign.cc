// SPDX-License-Identifier: Apache-2.0
//
// An object that needs a function nobody gives it.
extern "C" void not_provided(void** buffers);
extern "C" void calls_out(void** buffers) { not_provided(buffers); }
