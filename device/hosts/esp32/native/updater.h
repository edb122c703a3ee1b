/* What is in the slot that is not running, while it is being written and otherwise. */
#ifndef SVC_UPDATER_H
#define SVC_UPDATER_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that can be read: what was written so far, else all of the slot, or 0 where it is empty. */
uint32_t updater_byte_length(void);

/* @returns false where flash fails */
bool updater_read(void *into, uint32_t length, uint32_t offset);

#endif
