/*
 * A host of USB and the controller between it and TinyUSB, which a test plays at the level of packets. A controller has one
 * transfer at a time for each endpoint; without one, the host's packet is not taken (NAK). TinyUSB and the console have their
 * turns after each event.
 */
#ifndef SVC_TEST_USB_HOST_H
#define SVC_TEST_USB_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_BYTES = 64 };

/* Begins the bus anew and configures the console, as after plugging in. @returns false if the console refuses a request */
bool host_enumerates(void);

/* Reads a descriptor. @returns its length, 0 if refused */
size_t host_describes(uint8_t type, uint8_t index, uint8_t *bytes, size_t byteLength);

/* Requests of programs: the signals of the port, its speed, a break. */
bool host_sets_lines(bool dtr, bool rts);
bool host_sets_speed(uint32_t bitsPerSecond);
bool host_sends_break(void);

/*
 * Sends as Linux does: whole packets and a rest, with no empty packet after a whole last one.
 * @returns the bytes that the console took before it took no more
 */
size_t host_sends(const void *bytes, size_t byteLength);

/* Fetches packets until there are none, or no more than `byteLength` bytes. */
size_t host_reads(void *bytes, size_t byteLength);

/* What else happens to the bus. */
void host_resets_bus(void);
void host_suspends(void);
void host_resumes(void);
bool host_unconfigures(void);
void controller_sees_no_power(void);

/* Given by the test: what posted work does, on the machine's task. */
void turn(void);

#endif
