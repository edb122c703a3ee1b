/* The one line on standard output that contains the console's address. */
#ifndef SVC_READY_LINE_H
#define SVC_READY_LINE_H

/* Prints ports, address and USB link of the options. No-op once it is printed. */
void ready_line_print(const char *name);

#endif
