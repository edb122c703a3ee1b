/*
 * The console's USB socket: a pseudo-terminal that is made once in the life of the process, with a link to
 * it. The serial class of a run attaches to it.
 */
#ifndef SVC_USB_PORT_H
#define SVC_USB_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
	void (*onReadable)(void *context);		/* something to read; called while attached and plugged */
	void (*onWritable)(void *context);		/* only while usb_port_want_room(true) */
	void (*onPlug)(void *context, bool isPlugged);	/* a host has opened or closed the terminal */
	void *context;
} UsbPortClient;

/*
 * Makes the terminal and the link of the options, unless a reset has left them (resume.h). Exits with a message
 * when that cannot be.
 */
void usb_port_open(void);

/* Removes the link. */
void usb_port_close(void);

/* What is pending from before is dropped; a host that is there is reported in the next turn. */
void usb_port_attach(const UsbPortClient *client);
void usb_port_detach(void);

/* Whether to call onReadable and onWritable. */
void usb_port_want(bool input, bool output);

/* Like read() and write() without blocking: 0 when there is nothing to do now. */
size_t usb_port_read(uint8_t *bytes, size_t byteLength);
size_t usb_port_write(const uint8_t *bytes, size_t byteLength);

#endif
