/* The event loop in GLib's main context, which is the simulator's. */
#ifndef SVC_GLIB_LOOP_H
#define SVC_GLIB_LOOP_H

/* From now on, the sources of event-loop.h are polled. `afterTurn` is called after callbacks have run. */
void glib_loop_open(void (*afterTurn)(void));

#endif
