/* The code of modules that have been parsed: it is what the machine runs, where it is. */
#ifndef SVC_MODULE_TEXT_H
#define SVC_MODULE_TEXT_H

/* Frees all of it, once no machine runs it. */
void module_text_forget(void);

#endif
