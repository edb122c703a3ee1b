/* The reflected CRC-32 of IEEE 802.3, as in zip. */
#ifndef SVC_CRC32_H
#define SVC_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues from `crc`, which is 0 at the start. */
uint32_t crc32_update(uint32_t crc, const void *bytes, size_t length);

/* The checksum of bytes that have `crc` and of `byteLength` more that have `next`. */
uint32_t crc32_combine(uint32_t crc, uint32_t next, uint32_t byteLength);

#endif
