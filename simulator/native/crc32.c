/*
 * Crc32: the CRC-32 of IEEE 802.3, reflected, as zip has it. Compiled for boards too: nothing of an
 * operating system in here. The host data is the checksum itself, for which a pointer has room; so there is
 * nothing to free, and nothing to close.
 */
#include <stdint.h>

#include "xsmc.h"

/* Remainders of the sixteen values of half a byte: 64 bytes, where a table of whole ones would take 1 KB. */
static const uint32_t REMAINDERS[16] = {
	0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
	0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
};

static uint32_t update(uint32_t crc, const uint8_t *bytes, size_t length)
{
	crc = ~crc;
	for (const uint8_t *end = bytes + length; bytes < end; bytes++) {
		crc ^= *bytes;
		crc = crc >> 4 ^ REMAINDERS[crc & 15];
		crc = crc >> 4 ^ REMAINDERS[crc & 15];
	}
	return ~crc;
}

void xs_crc32_destructor(void *data)
{
	(void)data;
}

/* checksum(bytes): takes them in and returns the checksum of everything so far. */
void xs_crc32_checksum(xsMachine *the)
{
	uint32_t crc = (uint32_t)(uintptr_t)xsmcGetHostDataValidate(xsThis, xs_crc32_destructor);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	crc = update(crc, bytes, length);
	xsmcSetHostData(xsThis, (void *)(uintptr_t)crc);
	xsmcSetNumber(xsResult, crc);
}
