/*
 * The console's end of its window: display, light, buttons and switch, which a process of its own shows
 * (docs/adr/0036-the-window-is-a-process.md). Without --window-program there is none, and nothing here has an effect.
 */
#ifndef SVC_WINDOW_LINK_H
#define SVC_WINDOW_LINK_H

/*
 * Starts the window with the shown picture, and sends every later one. After a reset in place it is the window from
 * before (resume.h). Reports a window that cannot be started; the console goes on without.
 */
void window_link_open(void);

/*
 * Has the event loop take what the user does in the window. `onClosed`: the window was closed. A window that ends by itself
 * releases its buttons, is reported, and leaves the console running.
 */
void window_link_listen(void (*onClosed)(void));

#endif
