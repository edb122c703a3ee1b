/*
 * The secret of this console, DIR/fuses.bin: it stands for the key that a board has in its eFuses, outside any file
 * system and flash. Data that the boot loader keeps between two starts carries a code made with it, so that only this
 * console can have written it (docs/adr/0023-verified-boot.md).
 */
#ifndef SVC_DEVICE_SECRET_H
#define SVC_DEVICE_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_MAC_BYTES = 32 };

/*
 * Reads the secret; the first start with a state directory makes it. Call it before anything reads the record or a seal.
 * Exits with status 1 if the file is invalid or cannot be written.
 */
void device_secret_open(void);

/* HMAC-SHA-256 of the purpose, its terminating zero, and the bytes. A purpose has fewer than 32 characters. */
void device_secret_authenticate(const char *purpose, const void *bytes, size_t length, uint8_t mac[DEVICE_MAC_BYTES]);

/* Whether the code is valid for these bytes. Runs in constant time. */
bool device_secret_holds(const char *purpose, const void *bytes, size_t length, const uint8_t mac[DEVICE_MAC_BYTES]);

#endif
