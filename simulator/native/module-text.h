/* The code of parsed modules, which the machine runs in place. */
#ifndef SVC_MODULE_TEXT_H
#define SVC_MODULE_TEXT_H

/* Frees all of it. No machine may be running it. */
void module_text_forget(void);

#endif
