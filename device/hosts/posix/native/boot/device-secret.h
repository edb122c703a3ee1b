/*
 * The secret of this console, DIR/fuses.bin: it stands in for the key that a board has in its eFuses, which no file
 * system and no flash contains. What the boot loader keeps between two starts carries a code made with it, so that
 * only this console can have written it (docs/adr/0023-verified-boot.md).
 */
#ifndef SVC_DEVICE_SECRET_H
#define SVC_DEVICE_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_MAC_BYTES = 32 };

/*
 * Reads the secret, or makes one that is not kept yet. Exits with status 1 where there is a file that is none.
 * @returns whether it was kept before
 */
bool device_secret_open(void);

/* Keeps the secret that was made. Exits with status 1 where that fails. Does nothing where it is kept. */
void device_secret_keep(void);

/* HMAC-SHA-256 of the purpose, its ending zero, and the bytes. A purpose has fewer than 32 characters. */
void device_secret_authenticate(const char *purpose, const void *bytes, size_t length, uint8_t mac[DEVICE_MAC_BYTES]);

/* Whether it is the code of these bytes. Takes the same time wherever they differ. */
bool device_secret_holds(const char *purpose, const void *bytes, size_t length, const uint8_t mac[DEVICE_MAC_BYTES]);

#endif
