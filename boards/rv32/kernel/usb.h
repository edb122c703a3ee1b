/* The console's end of the USB cable, as a descriptor. There is only one. */
#ifndef SVC_USB_H
#define SVC_USB_H

/*
 * read() and write() never block: EAGAIN if there is nothing to read, EIO if no host is plugged in. poll() reports
 * POLLOUT exactly while a host is plugged in, and POLLPRI while none is: POLLHUP would be reported without being
 * requested.
 * @returns -1 with errno set
 */
int usb_open(void);

#endif
