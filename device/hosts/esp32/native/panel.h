/* The panel that shows what display.h has flushed. */
#ifndef SVC_PANEL_H
#define SVC_PANEL_H

/* Switches the panel on and sends every shown picture from now on. Call it after display_reset. */
void panel_start(void);

#endif
