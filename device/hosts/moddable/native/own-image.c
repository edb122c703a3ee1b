/* The header and the loaded library (own-image.h). */
#include "own-image.h"

#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "sha256-of.h"

/* The file format; numbers are little-endian, as on all machines that this simulator runs on. */
typedef struct {
	char magic[8];
	uint16_t format, headerBytes;
	uint32_t programBytes;
	char version[32], board[32], architecture[16];
	uint8_t digest[SHA256_BYTES];
} Header;

_Static_assert(sizeof(Header) == FIRMWARE_IMAGE_HEADER_BYTES, "there is no padding");

FirmwareImage own_image(const char *version)
{
	Library library = library_load();
	FirmwareImage image = { malloc(sizeof(Header) + library.length), sizeof(Header) + library.length };
	Header header = { .format = 1, .headerBytes = sizeof(Header), .programBytes = (uint32_t)library.length };
	if (!image.bytes)
		abort();
	memcpy(header.magic, "SVCIMAGE", sizeof(header.magic));
	strncpy(header.version, version, sizeof(header.version) - 1);
	strncpy(header.board, OWN_BOARD, sizeof(header.board) - 1);
	strncpy(header.architecture, "native", sizeof(header.architecture) - 1);
	sha256_of(&header, offsetof(Header, digest), library.bytes, library.length, header.digest);
	memcpy(image.bytes, &header, sizeof(header));
	memcpy(image.bytes + sizeof(header), library.bytes, library.length);
	free(library.bytes);
	return image;
}
