/* Stub, written for tests: what device/hosts/esp32 uses of the chip's registers, by its documentation; nothing of it runs. */
#ifndef STUB_SOC_H
#define STUB_SOC_H

#include <stdint.h>

void stub_register_write(uint32_t address, uint32_t value);
uint32_t stub_register_read(uint32_t address);

#define REG_WRITE(address, value) stub_register_write(address, value)
#define SET_PERI_REG_MASK(address, mask) stub_register_write(address, stub_register_read(address) | (mask))
#define CLEAR_PERI_REG_MASK(address, mask) stub_register_write(address, stub_register_read(address) & ~(uint32_t)(mask))

#endif
