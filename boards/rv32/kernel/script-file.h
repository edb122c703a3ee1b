/* A script as it is in a file of the host's, whole and well-formed. */
#ifndef SVC_SCRIPT_FILE_H
#define SVC_SCRIPT_FILE_H

#include "script-reader.h"

/* Ends the run with status 1 where there is no such file, or something is wrong with a command. */
Text script_file_read(const char *name);

#endif
