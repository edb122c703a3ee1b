/* Reads a whole, well-formed script from a file of the host. */
#ifndef SVC_SCRIPT_FILE_H
#define SVC_SCRIPT_FILE_H

#include "script-reader.h"

/* Ends the run with status 1 if there is no such file, or a command is invalid. */
Text script_file_read(const char *name);

#endif
