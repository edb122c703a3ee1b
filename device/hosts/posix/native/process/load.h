/* The load of the event loop over a window that moves in steps. Times are in milliseconds. */
#ifndef SVC_LOAD_H
#define SVC_LOAD_H

void load_idle_begins(double now);
void load_idle_ends(double now);

/* Share of the last five seconds (less shortly after the start) that was not idle, in percent. */
double load_percent(double now);

#endif
