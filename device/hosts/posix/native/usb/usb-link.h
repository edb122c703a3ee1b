/* The name by which a host finds the pseudo-terminal: a symbolic link. */
#ifndef SVC_USB_LINK_H
#define SVC_USB_LINK_H

/* Atomically replaces an existing link. Exits with a message if the path is anything else. */
void usb_link_make(const char *path, const char *target);

/* Removes the link if it still points to `target`. */
void usb_link_remove(const char *path, const char *target);

#endif
