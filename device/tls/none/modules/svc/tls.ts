/** `svc/tls`: this host has no TLS. */
export default undefined;
