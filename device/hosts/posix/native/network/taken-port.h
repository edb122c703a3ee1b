/* What a listener tells the host's boot loader. */
#ifndef SVC_TAKEN_PORT_H
#define SVC_TAKEN_PORT_H

/* Notes that a port was taken: if the program then fails to start, its options are not to blame. */
void boot_note_port_taken(void);

#endif
