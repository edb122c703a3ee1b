/* The one line on standard output that contains the console's address. */
#ifndef SVC_READY_LINE_H
#define SVC_READY_LINE_H

/* Ports, address and USB link are those of the options. Prints nothing once it has been printed. */
void ready_line_print(const char *name);

#endif
