// SPDX-License-Identifier: Apache-2.0
//
// The source of the target that precompiles pch.h.
