/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver interface of VTA, on a machine of this project in profile `vta`. Clients written for
 * VTA link with libtessera_vta.so without change. Plain C. Depends on: nothing. Used by: VTA
 * clients, tests/vta.
 *
 * Environment, read at the first call:
 *   TESSERA_DEVICE       a driver, with options if any: func (the default), rtl, rtl:wave=run.fst
 *   TESSERA_VTA_CONFIG   a named configuration or a JSON file with VTA's keys; default: default
 *
 * Addresses are absolute, as in VTA's own runtime: an instruction's dram_base times the tile's
 * bytes is the device address. A process has one machine, which every handle names. A function that
 * fails prints why to stderr, in one line. Calls may come from several threads; they take turns.
 */
#ifndef TESSERA_RUNTIME_VTA_VTA_DRIVER_H_
#define TESSERA_RUNTIME_VTA_VTA_DRIVER_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef uint32_t vta_phy_addr_t;
typedef void* VTADeviceHandle;

/* Allocates |size| zero bytes that both sides see, aligned to a page; NULL if there is no room. The
 * host reads and writes them through the pointer, except during VTADeviceRun. |cached| has no
 * effect. */
void* VTAMemAlloc(size_t size, int cached);
/* |buf| is a result of VTAMemAlloc or NULL. */
void VTAMemFree(void* buf);

/* The device address of |buf|, which points into an allocation; 0, the address of no buffer, if it
 * does not. */
vta_phy_addr_t VTAMemGetPhyAddr(void* buf);

/* memcpy; one side is from VTAMemAlloc. */
void VTAMemCopyFromHost(void* dst, const void* src, size_t size);
void VTAMemCopyToHost(void* dst, const void* src, size_t size);

/* These do nothing: VTADeviceRun copies all buffers. */
void VTAFlushCache(void* vir_addr, vta_phy_addr_t phy_addr, int size);
void VTAInvalidateCache(void* vir_addr, vta_phy_addr_t phy_addr, int size);

/* The machine; NULL if it cannot be opened. Free keeps the machine and its memory. */
VTADeviceHandle VTADeviceAlloc(void);
void VTADeviceFree(VTADeviceHandle handle);

/* Runs |insn_count| 128-bit instructions at |insn_phy_addr| (a multiple of 64), FINISH last.
 *
 *   wait_cycles  the budget: cycles on rtl; instructions and tile steps on func
 *   returns      0 when FINISH is done; else not 0: an illegal instruction, an index out of range,
 *                a deadlock, a spent budget. The machine is then reset and usable; memory keeps its
 *                contents. */
int VTADeviceRun(VTADeviceHandle handle, vta_phy_addr_t insn_phy_addr, uint32_t insn_count,
                 uint32_t wait_cycles);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* TESSERA_RUNTIME_VTA_VTA_DRIVER_H_ */
