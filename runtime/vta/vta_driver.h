/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver interface of VTA, on a machine of this project in profile `vta`. Clients written for
 * VTA link with libtessera_vta.so unchanged. Plain C. Depends on: nothing. Used by: VTA clients,
 * tests/vta.
 *
 * Environment, read at the first call:
 *   TESSERA_DEVICE       a driver, with options if need be: func (the default), rtl, rtl:wave=run.fst
 *   TESSERA_VTA_CONFIG   a named configuration or a JSON file with VTA's keys; default: default
 *
 * Addresses are absolute, as in VTA's own runtime: an instruction's dram_base times the tile's
 * bytes is the device address. There is one machine a process; every handle is that machine. What
 * fails says why on stderr, in one line. Calls may come from several threads; they take turns.
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

/* |size| bytes that both sides see, aligned to a page and zero; NULL if there is no room. The host
 * reads and writes them through the pointer, except while VTADeviceRun runs. |cached| makes no
 * difference. */
void* VTAMemAlloc(size_t size, int cached);
/* |buf| came from VTAMemAlloc, or is NULL. */
void VTAMemFree(void* buf);

/* The device address of |buf|, which points into an allocation; 0, which is no buffer's, if it does
 * not. */
vta_phy_addr_t VTAMemGetPhyAddr(void* buf);

/* memcpy; one side is from VTAMemAlloc. */
void VTAMemCopyFromHost(void* dst, const void* src, size_t size);
void VTAMemCopyToHost(void* dst, const void* src, size_t size);

/* Nothing to do here: the machine sees memory as it is when VTADeviceRun is called. */
void VTAFlushCache(void* vir_addr, vta_phy_addr_t phy_addr, int size);
void VTAInvalidateCache(void* vir_addr, vta_phy_addr_t phy_addr, int size);

/* The machine; NULL if it cannot be opened. Free keeps the memory. */
VTADeviceHandle VTADeviceAlloc(void);
void VTADeviceFree(VTADeviceHandle handle);

/* Runs |insn_count| 128-bit instructions at |insn_phy_addr| (a multiple of 64), FINISH last.
 *
 *   wait_cycles  the budget: cycles on rtl; instructions and tile steps on func
 *   returns      0 when FINISH is done; else not 0: an illegal instruction, an index out of range,
 * a deadlock, a spent budget. The machine is reset and usable, memory keeps its contents. */
int VTADeviceRun(VTADeviceHandle handle, vta_phy_addr_t insn_phy_addr, uint32_t insn_count,
                 uint32_t wait_cycles);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* TESSERA_RUNTIME_VTA_VTA_DRIVER_H_ */
