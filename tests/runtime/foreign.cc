// SPDX-License-Identifier: Apache-2.0
//
// An object that needs a function which the loader does not provide.
extern "C" void not_provided(void** buffers);
extern "C" void calls_out(void** buffers) { not_provided(buffers); }
