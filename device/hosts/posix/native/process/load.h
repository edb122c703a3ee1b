/* How busy the event loop is, over a window that slides in steps. Times are milliseconds. */
#ifndef SVC_LOAD_H
#define SVC_LOAD_H

void load_idle_begins(double now);
void load_idle_ends(double now);

/* Share of the last five seconds (less shortly after the start) that was not idle, 0 to 100. */
double load_percent(double now);

#endif
