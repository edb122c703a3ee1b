/* The name under which a host finds the pseudo-terminal: a symbolic link of ours. */
#ifndef SVC_USB_LINK_H
#define SVC_USB_LINK_H

/* Replaces a link that is there in one step. Exits with a message when something else is. */
void usb_link_make(const char *path, const char *target);

/* Removes the link if it is still ours. */
void usb_link_remove(const char *path, const char *target);

#endif
