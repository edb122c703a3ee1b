/*
 * The console's USB port as usb-serial.c sees it. A host implements it by a pseudo-terminal, a CDC ACM function or a
 * test script. Callbacks run from the event loop, never from within a function of the port.
 */
#ifndef SVC_USB_PORT_H
#define SVC_USB_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	void (*onReadable)(void *context);		/* input is available; only while plugged and `input` is wanted */
	void (*onWritable)(void *context);		/* output is possible; only while plugged and `output` is wanted */
	void (*onPlug)(void *context, bool isPlugged);	/* a host has opened or closed the port */
	void *context;
} UsbPortClient;

/*
 * For the process that owns the port, once in its life; the board opens its port at the first attach. Opening makes the
 * pseudo-terminal and the link of the options, unless a reset has left them (resume.h), and exits with a message on
 * failure. Closing removes the link.
 */
void usb_port_open(void);
void usb_port_close(void);

/*
 * Attaches the only client and discards input from before. If a host has the port open, onPlug reports it soon.
 * @returns false if the port cannot be opened
 */
bool usb_port_attach(const UsbPortClient *client);
void usb_port_detach(void);

/* Whether to call onReadable and onWritable. */
void usb_port_want(bool input, bool output);

/* Like read() and write() without blocking; 0 if nothing can be transferred now. */
size_t usb_port_read(uint8_t *bytes, size_t byteLength);
size_t usb_port_write(const uint8_t *bytes, size_t byteLength);

#endif
