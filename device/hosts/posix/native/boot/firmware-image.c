/* Reads the header of an image, which has 128 bytes, and computes its digest (firmware-image.h). */
#include "firmware-image.h"

#include <stdlib.h>
#include <string.h>

#include "sha256-of.h"

enum { MAGIC_BYTES = 8, FORMAT = 1, FORMAT_AT = 8, HEADER_BYTES_AT = 10, PROGRAM_BYTES_AT = 12, SECURITY_VERSION_AT = 92, DIGEST_AT = 96 };

static uint32_t little_endian(const uint8_t *bytes, int count)
{
	uint32_t value = 0;
	while (count-- > 0)
		value = value << 8 | bytes[count];
	return value;
}

uint64_t firmware_image_length(const uint8_t header[FIRMWARE_IMAGE_HEADER_BYTES])
{
	const uint32_t programLength = little_endian(header + PROGRAM_BYTES_AT, 4);
	const bool isKnown = memcmp(header, "SVCIMAGE", MAGIC_BYTES) == 0
		&& little_endian(header + FORMAT_AT, 2) == FORMAT
		&& little_endian(header + HEADER_BYTES_AT, 2) == FIRMWARE_IMAGE_HEADER_BYTES;
	return isKnown ? FIRMWARE_IMAGE_HEADER_BYTES + (uint64_t)programLength : 0;
}

bool firmware_image_is_whole(const FirmwareImage *image)
{
	uint8_t digest[SHA256_BYTES];
	if (image->length < FIRMWARE_IMAGE_HEADER_BYTES)
		return false;
	uint64_t length = firmware_image_length(image->bytes);
	if (length == 0 || length > image->length)
		return false;
	sha256_of(image->bytes, DIGEST_AT, image->bytes + FIRMWARE_IMAGE_HEADER_BYTES,
		(size_t)length - FIRMWARE_IMAGE_HEADER_BYTES, digest);
	return memcmp(digest, image->bytes + DIGEST_AT, SHA256_BYTES) == 0;
}

uint32_t firmware_image_security_version(const FirmwareImage *image)
{
	return little_endian(image->bytes + SECURITY_VERSION_AT, 4);
}

const char *firmware_image_program(const FirmwareImage *image, size_t *length)
{
	*length = firmware_image_length(image->bytes) - FIRMWARE_IMAGE_HEADER_BYTES;
	return (const char *)image->bytes + FIRMWARE_IMAGE_HEADER_BYTES;
}

void firmware_image_free(FirmwareImage *image)
{
	free(image->bytes);
	*image = (FirmwareImage){ 0 };
}
