/* Which certificates a hub may present. Implemented by a host's TLS, or by its stub for a host without TLS. */
#ifndef SVC_HUB_TRUST_H
#define SVC_HUB_TRUST_H

/*
 * Trust only the certificates of a PEM file from now on, not the system's either. The file is not read again.
 *
 * @returns NULL, or a format of what is wrong, with one %s for the file; then nothing has changed
 */
const char *hub_trust_read(const char *file);

#endif
