/* What main.c and the ready line need of the boot loader. */
#ifndef SVC_BOOT_LOOP_H
#define SVC_BOOT_LOOP_H

/* Runs the image until the process is to end. @returns its exit status */
int boot_loop(void);

/* The program is up: from now on an exception is a crash and no refusal of its options. */
void boot_note_ready(void);

/* A port was taken: if that keeps the program from starting, it is no fault of its options. */
void boot_note_port_taken(void);

/* Ends the process at once, leaving nothing behind in the file system that only makes sense while it runs. */
_Noreturn void boot_exit(int status);

#endif
