/* The XS machine that runs the program, and what C callbacks need of it. */
#ifndef SVC_MACHINE_H
#define SVC_MACHINE_H

#include <stdbool.h>

#include "xsmc.h"

/* The machine, NULL between two runs. */
extern xsMachine *machine;

/* Call it after every callback: promise jobs run now or soon. */
void machine_end_turn(void);

/* Keeps a value alive for C, and releases it. */
void machine_keep(xsMachine *the, xsSlot *kept, xsSlot value);
void machine_release(xsMachine *the, xsSlot *kept);

/* options[name], which is a function or undefined. Throws for anything else. */
xsSlot machine_get_callback(xsMachine *the, xsSlot *options, const char *name);

/*
 * For close(): takes the record out of xsThis, so that later methods throw and no destructor runs.
 * @returns the record, which the caller frees; NULL if close() ran before, which ECMA-419 §8 allows
 */
void *machine_detach(xsMachine *the, xsDestructor destructor);

/* Calls a kept function, unless it is undefined, with one argument or none. An exception is a crash. */
void machine_call(xsSlot *self, xsSlot *function);
void machine_call_count(xsSlot *self, xsSlot *function, xsIntegerValue argument);
void machine_call_boolean(xsSlot *self, xsSlot *function, bool argument);

/* Sets a number, as an integer where it is one: without a floating-point unit, XS computes and prints those faster. */
void machine_set_number(xsMachine *the, xsSlot *slot, xsNumberValue value);

#endif
