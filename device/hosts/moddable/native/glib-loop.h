/* The event loop in GLib's main context, which is the simulator's. */
#ifndef SVC_GLIB_LOOP_H
#define SVC_GLIB_LOOP_H

/* From here on what event-loop.h knows of is polled. `afterTurn` is called once callbacks of ours have been. */
void glib_loop_open(void (*afterTurn)(void));

#endif
