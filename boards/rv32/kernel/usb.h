/* The console's end of the USB cable, as a descriptor. There is one. */
#ifndef SVC_USB_H
#define SVC_USB_H

/*
 * read() and write() never block: EAGAIN where there is nothing to read, EIO where no host is plugged in. poll()
 * reports POLLOUT exactly while a host is plugged in, and POLLPRI while none is: POLLHUP would be reported
 * unrequested, again and again.
 * @returns -1 with errno set
 */
int usb_open(void);

#endif
