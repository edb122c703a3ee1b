/* The console's end of the USB cable, as a descriptor. There is one. */
#ifndef SVC_USB_H
#define SVC_USB_H

/*
 * read() and write() never block: EAGAIN where there is nothing to read, EIO where nobody is plugged in. poll() says
 * POLLOUT exactly while somebody is, and POLLPRI while nobody is: POLLHUP would be told unasked, again and again.
 * @returns -1 with errno set
 */
int usb_open(void);

#endif
