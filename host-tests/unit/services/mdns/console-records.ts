/** The records of a console as text, and its answers to queries. */
import { type EmulatedLink, STRANGER } from "./emulated-link.js";

export const HOST = "Console-1A2B.local";
export const INSTANCE = "Console-1A2B._svc._tcp.local";
export const TYPE = "_svc._tcp.local";
export const META = "_services._dns-sd._udp.local PTR _svc._tcp.local 4500";
export const POINTER = `${TYPE} PTR ${INSTANCE} 4500`;
export const SERVICE = `${INSTANCE} SRV ${HOST}:8080 120 flush`;
export const TEXT = `${INSTANCE} TXT fw=1.0.0;api=v1 4500 flush`;
export const ADDRESS = `${HOST} A 10.0.0.1 120 flush`;
export const HOST_DENIAL = `${HOST} NSEC A 120 flush`;
export const SERVICE_DENIAL = `${INSTANCE} NSEC TXT,SRV 120 flush`;

/** Sends a query, and returns the answers with the milliseconds since its arrival. */
export function ask(link: EmulatedLink, message: Uint8Array, from = STRANGER, waitMs = 900) {
  const arrivalMs = link.clock.uptimeMs() + 1;
  link.send(message, from);
  return link.pass(waitMs).map((datagram) => ({ ...datagram, afterMs: datagram.atMs - arrivalMs }));
}
