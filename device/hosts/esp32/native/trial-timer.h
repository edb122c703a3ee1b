/* Ends a trial that the program has neither confirmed nor given up in time, as it should have: a last resort. */
#ifndef SVC_TRIAL_TIMER_H
#define SVC_TRIAL_TIMER_H

/* Ends it a second after that, which is when the program's own timer has long rung. */
void trial_timer_start(int seconds);

#endif
