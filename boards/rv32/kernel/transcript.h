/* The console's output, in a file of the host (script.h). Written output stays there, however the run ends. */
#ifndef SVC_TRANSCRIPT_H
#define SVC_TRANSCRIPT_H

#include "script-reader.h"

/* Ends the run if the file cannot be written. */
void transcript_open(const char *file);

void transcript_step(Text name);
void transcript_said(Text channel, const uint8_t *bytes, size_t length);
void transcript_close(void);

#endif
