/* The one line on standard output that says where the console is to be reached. */
#ifndef SVC_READY_LINE_H
#define SVC_READY_LINE_H

/* Ports, address and USB link are those of the options. */
void ready_line_print(const char *name);

#endif
