/*
 * The other side of the console's sockets and USB port: a script of what to send to the console, and of the output to
 * await before the script continues. The commands of a script, each a line; bytes follow their line, and end with a
 * newline that is not counted.
 *
 *     step NAME COUNT               what follows, until `end`, COUNT times; the meters (meters.h) report each step
 *     open CHANNEL PORT             connects, once the port has a listener; `open CHANNEL usb` plugs the cable in
 *     send CHANNEL LENGTH BYTES
 *     await CHANNEL http COUNT      until this many responses are complete (to any method but HEAD)
 *     await CHANNEL lines COUNT     until this many newlines have arrived
 *     await CHANNEL frames COUNT    until this many WebSocket frames are complete
 *     await CHANNEL text LENGTH BYTES   until these bytes have arrived
 *     wait MILLISECONDS             of the console's time
 *     close CHANNEL                 sends nothing more; further output can be awaited. Unplugs the cable
 *     end
 *
 * Counts start after the channel's last `await`: each `await` consumes what it awaits and nothing more. A transcript
 * records the console's output, in the order in which the script awaits it, and omits output that is never awaited:
 *
 *     step NAME
 *     said CHANNEL LENGTH BYTES     bytes as in the script
 *
 * If the console is idle, or lets a minute of its time pass, before the awaited output has arrived, the run ends:
 * standard error shows the command and what arrived instead, and the exit status is 1.
 */
#ifndef SVC_SCRIPT_H
#define SVC_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads and starts the script; the transcript is written to `transcript`. Both are files of the host. */
void script_open(const char *script, const char *transcript);

/*
 * Continues the script as far as possible without the console. Call it when the console is idle.
 * @returns whether the console has work now: bytes, a connection, or the end of one
 */
bool script_go_on(void);

/* The time until which the script waits (clock_now()); UINT64_MAX: it waits for the console. */
uint64_t script_wakes_at(void);

/* Whether the script has ended and the transcript is written. */
bool script_is_over(void);

/* Ends the run: the console waits for the script alone, and the script for the console. */
_Noreturn void script_stalled(void);

/* Instructions of the script itself since power on (clock_instructions()), which count in no step. */
uint64_t script_instructions(void);

#endif
