/*
 * The script's end of a connection, or of the USB cable: bytes that it has sent and the console has not read yet, and
 * the console's output. The copies are outside the console's memory. The other ends are in sockets.c and usb.c.
 */
#ifndef SVC_WIRE_H
#define SVC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Wire Wire;

/*
 * Connects; the connection waits for accept().
 * @returns NULL if the port has no listener
 */
Wire *wire_connect(int port);

/* The wire of the USB port. */
Wire *wire_of_usb(void);

/* In both cases, bytes that were sent and not read are lost; a new host starts with empty output. */
void wire_plug(Wire *usb, bool isPlugged);

/* The script's side. */
void wire_send(Wire *wire, const uint8_t *bytes, size_t length);
size_t wire_said(const Wire *wire, const uint8_t **bytes);		/* all output that was not discarded */
void wire_forget_said(Wire *wire, size_t length);
bool wire_has_ended(const Wire *wire);		/* the console has closed its side */
void wire_close(Wire *wire);		/* sends nothing more; output can still be read */
void wire_leave(Wire *wire);		/* also reads nothing more: this side releases the wire; not for the USB port */

/* The console's side: who listens. */
bool wire_listen(int port);		/* @returns false where the port already has a listener */
void wire_listen_no_more(int port);		/* pending connections end */
bool wire_is_waiting(int port);
Wire *wire_accept(int port);		/* the oldest pending connection, NULL where there is none */

/* The console's side of a connection. */
size_t wire_take(Wire *wire, uint8_t *bytes, size_t length);
size_t wire_untaken(const Wire *wire);
bool wire_is_closed(const Wire *wire);		/* by the script; earlier bytes may still be pending */
bool wire_is_plugged(const Wire *usb);
void wire_say(Wire *wire, const uint8_t *bytes, size_t length);
void wire_end(Wire *wire);		/* sends nothing more */
void wire_hang_up(Wire *wire);		/* also reads nothing more: this side releases the wire */

#endif
