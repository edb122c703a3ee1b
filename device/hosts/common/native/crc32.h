/* The reflected CRC-32 of IEEE 802.3, as in zip. */
#ifndef SVC_CRC32_H
#define SVC_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues from `crc`, which is 0 at the start. */
uint32_t crc32_update(uint32_t crc, const void *bytes, size_t length);

#endif
