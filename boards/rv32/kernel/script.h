/*
 * The other side of the console's sockets and of its USB port: a script of what is sent to it and of what it has to have
 * said before the script goes on. The commands of a script, each a line; bytes follow their line, and end in a newline
 * of their own that is not counted.
 *
 *     step NAME COUNT               what follows, until `end`, COUNT times; the meters (meters.h) report each step
 *     open CHANNEL PORT             connects, once the port has a listener; `open CHANNEL usb` plugs the cable in
 *     send CHANNEL LENGTH BYTES
 *     await CHANNEL http COUNT      until so many responses are whole (to anything but HEAD)
 *     await CHANNEL lines COUNT     until so many newlines have come
 *     await CHANNEL frames COUNT    until so many WebSocket frames are whole
 *     await CHANNEL text LENGTH BYTES   until these bytes have come
 *     wait MILLISECONDS             of the console's time
 *     close CHANNEL                 sends nothing more: what the console still says can be awaited. Unplugs the cable
 *     end
 *
 * Counts start after the channel's last `await`: each `await` consumes what it awaits and nothing behind. A transcript
 * records what the console sends, in the order in which the script awaits it, and omits what is never awaited:
 *
 *     step NAME
 *     said CHANNEL LENGTH BYTES     bytes as in the script
 *
 * A console that is idle, or lets a minute of its time pass, before it has sent what is awaited, ends the run: standard
 * error shows the command and what has come instead, and the exit status is 1.
 */
#ifndef SVC_SCRIPT_H
#define SVC_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the script, which begins from here on; what is said goes to `transcript`. Both are files of the host's. */
void script_open(const char *script, const char *transcript);

/*
 * Goes on with the script, as far as it can without the console. Belongs where the console has nothing to do.
 * @returns whether the console has now: bytes, a connection, the end of one
 */
bool script_go_on(void);

/* Until when the script waits (clock_now()); UINT64_MAX: for the console. */
uint64_t script_wakes_at(void);

/* Everything was said: the transcript is written. */
bool script_is_over(void);

/* Neither goes on: the console waits for the script alone, and the script for the console. Ends the run. */
_Noreturn void script_stalled(void);

/* What the script itself has executed (clock_instructions()) since power on, which is no part of what a step takes. */
uint64_t script_instructions(void);

#endif
