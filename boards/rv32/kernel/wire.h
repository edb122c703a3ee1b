/*
 * One end of a connection, or of the USB cable, as the script has it: what it has sent and the console has not taken yet,
 * and what the console has said. Whole copies in memory: nothing here is the console's. The other end is sockets.c's, and
 * usb.c's.
 */
#ifndef SVC_WIRE_H
#define SVC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Wire Wire;

/* Connects; the connection waits for accept(). @returns NULL where the port has no listener */
Wire *wire_connect(int port);

/* Of the USB port. */
Wire *wire_of_usb(void);

/* Either way what was sent and not taken is lost; a new host has heard nothing yet. */
void wire_plug(Wire *usb, bool isPlugged);

/* The script's side. */
void wire_send(Wire *wire, const uint8_t *bytes, size_t length);
size_t wire_said(const Wire *wire, const uint8_t **bytes);		/* all that was not forgotten */
void wire_forget_said(Wire *wire, size_t length);
bool wire_has_ended(const Wire *wire);		/* the console has closed its side */
void wire_close(Wire *wire);		/* nothing more is sent; what the console says is still heard */
void wire_leave(Wire *wire);		/* nor received: this side releases the wire. Not for the USB port's */

/* The console's side: who listens. */
bool wire_listen(int port);		/* @returns false where the port already has a listener */
void wire_listen_no_more(int port);		/* who waits there finds the connection ended */
bool wire_is_waiting(int port);
Wire *wire_accept(int port);		/* the oldest pending connection, NULL where there is none */

/* The console's side of a connection. */
size_t wire_take(Wire *wire, uint8_t *bytes, size_t length);
size_t wire_untaken(const Wire *wire);
bool wire_is_closed(const Wire *wire);		/* by the script; what it sent before may still have to be taken */
bool wire_is_plugged(const Wire *usb);
void wire_say(Wire *wire, const uint8_t *bytes, size_t length);
void wire_end(Wire *wire);		/* says nothing more */
void wire_hang_up(Wire *wire);		/* nor receives: this side releases the wire */

#endif
