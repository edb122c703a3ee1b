/* Access to the content of the slot that is not running. */
#ifndef SVC_UPDATER_H
#define SVC_UPDATER_H

#include <stdbool.h>
#include <stdint.h>

/* Readable bytes: those written so far, otherwise the whole slot, or 0 if it is empty. */
uint32_t updater_byte_length(void);

/* @returns false if the flash cannot be read */
bool updater_read(void *into, uint32_t length, uint32_t offset);

#endif
