/* The panel that shows what display.h has flushed. */
#ifndef SVC_PANEL_H
#define SVC_PANEL_H

/* Switches it on, and sends every picture that is shown from now on. After display_reset. */
void panel_start(void);

#endif
