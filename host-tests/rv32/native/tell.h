/* What a test's program says, on standard error. */
#ifndef SVC_TELL_H
#define SVC_TELL_H

/* What follows is of this scene. */
void scene(const char *name);

/* What a call has returned: a number, or why it failed. */
void tell(const char *what, long result);

/* What poll() says of a descriptor. */
void tell_ready(const char *what, int fd);

#endif
