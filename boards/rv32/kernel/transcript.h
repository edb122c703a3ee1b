/* What the console has said, in a file of the host's (script.h). What was written is there, however the run ends. */
#ifndef SVC_TRANSCRIPT_H
#define SVC_TRANSCRIPT_H

#include "script-reader.h"

/* Ends the run where the file cannot be written. */
void transcript_open(const char *file);

void transcript_step(Text name);
void transcript_said(Text channel, const uint8_t *bytes, size_t length);
void transcript_close(void);

#endif
