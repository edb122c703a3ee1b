/* Last resort: ends a trial that the program should have confirmed or reverted by now. */
#ifndef SVC_TRIAL_TIMER_H
#define SVC_TRIAL_TIMER_H

/* Ends the trial a second after that time, long after the program's own timer. */
void trial_timer_start(int seconds);

#endif
