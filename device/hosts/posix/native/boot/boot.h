/*
 * The boot loader: selects the slot, creates a machine, runs the slot's image in it until it ends, and boots again if
 * the end requests it. There is one machine at a time.
 */
#ifndef SVC_BOOT_H
#define SVC_BOOT_H

#include <stdbool.h>
#include <stddef.h>

#include "slot.h"

/* Ends the run immediately as a crash; the machine is not entered again. `detail` may be empty. */
_Noreturn void boot_abort(const char *reason, const char *detail);

/* Ends the run after the current turn of the event loop. */
void boot_request_restart(void);
void boot_request_shutdown(void);

/* Text of the module with this specifier, NULL if there is none. `byteLength` may be NULL. */
const char *boot_find_module(const char *specifier, size_t *byteLength);

/* The board whose firmware runs here, as images name it (tools/image.ts). */
const char *boot_board(void);

/* Why this run started: a ResetReason of device/ports/system.ts. */
const char *boot_reset_reason(void);

/* The slot whose image runs. */
Slot boot_slot(void);

/* Number of this run of the process, from 1. Unlike the address of the machine, it is never reused. */
unsigned int boot_number(void);

/* Milliseconds since this run started. */
double boot_uptime_ms(void);

#endif
