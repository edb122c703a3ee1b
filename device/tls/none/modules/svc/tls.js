/** `svc/tls`: this host has none. */
export default undefined;
