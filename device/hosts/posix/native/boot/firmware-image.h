/* The boot loader's view of an image: tools/image.ts writes it, and describes its layout. */
#ifndef SVC_FIRMWARE_IMAGE_H
#define SVC_FIRMWARE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIRMWARE_IMAGE_HEADER_BYTES = 128 };

/* Header and program; without bytes: none. */
typedef struct {
	uint8_t *bytes;			/* from malloc */
	size_t length;
} FirmwareImage;

/* Bytes of the image that begins with this header, 0 where it is none of a format that is known. */
uint64_t firmware_image_length(const uint8_t header[FIRMWARE_IMAGE_HEADER_BYTES]);

/* Whether every byte is as it was when the image was made. What follows the program counts as none of it. */
bool firmware_image_is_whole(const FirmwareImage *image);

/* The security version of an image that is whole; 0 where its maker has given it none. */
uint32_t firmware_image_security_version(const FirmwareImage *image);

/* The program of an image that is whole: not ended by a zero. */
const char *firmware_image_program(const FirmwareImage *image, size_t *length);

/* Leaves it empty; may be so already. */
void firmware_image_free(FirmwareImage *image);

#endif
