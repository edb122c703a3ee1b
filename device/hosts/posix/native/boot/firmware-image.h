/* An image as the boot loader reads it: tools/image.ts writes it and describes its layout. */
#ifndef SVC_FIRMWARE_IMAGE_H
#define SVC_FIRMWARE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIRMWARE_IMAGE_HEADER_BYTES = 128 };

/* Header and program; without bytes if there is no image. */
typedef struct {
	uint8_t *bytes;			/* from malloc */
	size_t length;
} FirmwareImage;

/* Length of the image that starts with this header, 0 if its format is unknown. */
uint64_t firmware_image_length(const uint8_t header[FIRMWARE_IMAGE_HEADER_BYTES]);

/* Whether no byte has changed since the image was made. Bytes after the program are not part of the image. */
bool firmware_image_is_whole(const FirmwareImage *image);

/* The security version of an intact image; 0 if it has none. */
uint32_t firmware_image_security_version(const FirmwareImage *image);

/* The program of an intact image, without a terminating zero. */
const char *firmware_image_program(const FirmwareImage *image, size_t *length);

/* Frees the bytes and leaves the image empty. No-op for an empty one. */
void firmware_image_free(FirmwareImage *image);

#endif
