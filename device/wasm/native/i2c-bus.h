/*
 * The I2C bus for apps. Each host has its own behind it; apps call it on their own threads, several at a time.
 * Addresses and lengths are valid ones (abi-buses.c). Results are those of the ABI: below 0 are errors.
 */
#ifndef SVC_I2C_BUS_H
#define SVC_I2C_BUS_H

#include <stdint.h>

enum { I2C_BUS_BYTES = 256 };

/* Addresses that devices may have; the others have a meaning of their own (UM10204 3.1.12). */
enum { I2C_BUS_FIRST_ADDRESS = 0x08, I2C_BUS_LAST_ADDRESS = 0x77 };

/*
 * Names a register, unless it is -1, and reads `length` bytes, at least one, after a repeated start. 0; -2: no device
 * answers; -5: the bus is disturbed; -19: there is no bus.
 */
int32_t i2c_bus_read(int address, int reg, uint8_t *bytes, uint32_t length);

/* Writes bytes, maybe none. Results as above. */
int32_t i2c_bus_write(int address, const uint8_t *bytes, uint32_t length);

#endif
