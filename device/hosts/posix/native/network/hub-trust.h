/* Which certificates a hub may present. Implemented by a host's TLS, or by a stub. */
#ifndef SVC_HUB_TRUST_H
#define SVC_HUB_TRUST_H

/*
 * From now on, trust only the certificates of a PEM file, not those of the system. The file is not read again.
 *
 * @returns NULL, or an error message with one %s for the file; on failure, nothing has changed
 */
const char *hub_trust_read(const char *file);

#endif
