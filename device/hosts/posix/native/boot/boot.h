/*
 * The boot loader: chooses the slot, makes a machine, runs the slot's image in it until it ends, and boots again
 * where that is what the end asks for. There is one machine at a time.
 */
#ifndef SVC_BOOT_H
#define SVC_BOOT_H

#include <stdbool.h>
#include <stddef.h>

#include "slot.h"

/* Ends the run immediately as a crash: the machine is not entered again. `detail` may be empty. */
_Noreturn void boot_abort(const char *reason, const char *detail);

/* Ends the run once the current turn of the event loop is over. */
void boot_request_restart(void);
void boot_request_shutdown(void);

/* Text of a module by its specifier, NULL where there is none. `byteLength` may be NULL. */
const char *boot_find_module(const char *specifier, size_t *byteLength);

/* The board whose firmware runs here, as images name it (tools/image.ts). */
const char *boot_board(void);

/* A port was taken: if that keeps the program from starting, it is no fault of its options. */
void boot_note_port_taken(void);

/* Why this run began: a ResetReason of device/ports/system.ts. */
const char *boot_reset_reason(void);

/* The slot whose image runs. */
Slot boot_slot(void);

/* Which run of this process it is, from 1. Addresses of machines come again; this does not. */
unsigned int boot_number(void);

/* Milliseconds since this run began. */
double boot_uptime_ms(void);

#endif
