/*
 * One end of a connection, or of the USB cable, as the script has it: what it has sent and the console has not taken yet,
 * and what the console has said. Whole copies in memory: nothing here is the console's.
 */
#ifndef SVC_WIRE_H
#define SVC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Wire Wire;

/* A connection to a port that somebody listens on waits there for accept(). @returns NULL where nobody listens */
Wire *wire_connect(int port);

/* Of the USB port. */
Wire *wire_of_usb(void);
void wire_plug(Wire *usb, bool isPlugged);

/* The script's side. */
void wire_send(Wire *wire, const uint8_t *bytes, size_t length);
size_t wire_said(const Wire *wire, const uint8_t **bytes);		/* all that was not forgotten */
void wire_forget_said(Wire *wire, size_t length);
bool wire_has_ended(const Wire *wire);		/* the console has closed its side */
void wire_close(Wire *wire);

#endif
