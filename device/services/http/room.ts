/**
 * Allocates the limited number of connections to clients (docs/spec/http.md#room-last). The last one is reserved for an
 * address without a connection, so that one machine cannot hold all. If all are in use, the server closes an idle one,
 * which waits for its client's next request: of the address with the most connections, the longest idle one. If none is
 * idle, an address without a connection replaces a slow one of an address with three or more
 * (docs/spec/http.md#room-slow), so that two addresses cannot lock out a third.
 */
import { parseIpv6 } from "../identity/identity.js";

/**
 * Time after which a connection without a request counts as idle and may be closed for another: browsers open some in
 * advance, and a request in transit arrives sooner (docs/spec/http.md#room-idle). Also the time after which a
 * persistent connection may be closed for lack of memory.
 */
export const SILENT_AFTER_MS = 2_000;

/** The facts about an open connection that decide. */
export interface AdmittedConnection {
  /** Address of the peer; `undefined` if the peer disconnected before it was read. */
  readonly address: string | undefined;
  /** Start of its idle time; `undefined` while a request is in progress. */
  readonly idleSinceMs: number | undefined;
  /** Whether its client is slower than nearly every network. */
  readonly isSlow?: boolean;
}

/** Connections of one address from which one may be closed for another address. */
const MANY = 3;

/**
 * Finds room for a connection from `address` beside the open ones.
 * @returns `"free"`, or the connection to close for it, or `undefined` if all are in use
 */
export function roomFor<Connection extends AdmittedConnection>(
  held: ReadonlySet<Connection>,
  address: string | undefined,
  limit: number,
): Connection | "free" | undefined {
  if (hasPlace(held, address, limit)) return "free";
  const victim = chooseVictim([...held]);
  return victim || holdsPlace(held, address) ? victim : chooseSlow([...held]);
}

/** Whether `address` may open one more of `limit` connections. */
export function hasPlace(
  held: ReadonlySet<Pick<AdmittedConnection, "address">>,
  address: string | undefined,
  limit: number,
): boolean {
  if (held.size < limit - 1) return true;
  return held.size < limit && !holdsPlace(held, address);
}

/** Whether the machine behind `peer` has a connection. */
export function holdsPlace(
  held: ReadonlySet<Pick<AdmittedConnection, "address">>,
  peer: string | undefined,
): boolean {
  const host = hostOf(peer);
  for (const { address } of held) if (hostOf(address) === host) return true;
  return false;
}

/** The idle connection to close, `undefined` if none is idle. */
export function chooseVictim<Connection extends AdmittedConnection>(
  held: readonly Connection[],
): Connection | undefined {
  const counts = placesOfHosts(held);
  let victim: Connection | undefined;
  let most = 0;
  held.forEach((candidate, index) => {
    const { idleSinceMs } = candidate;
    const count = counts[index] as number;
    if (idleSinceMs === undefined) return;
    if (count < most || (count === most && idleSinceMs >= (victim?.idleSinceMs ?? 0))) return;
    victim = candidate;
    most = count;
  });
  return victim;
}

/** A slow connection of the address with the most, `undefined` if none has many. */
function chooseSlow<Connection extends AdmittedConnection>(
  held: readonly Connection[],
): Connection | undefined {
  const counts = placesOfHosts(held);
  let victim: Connection | undefined;
  let most = MANY - 1;
  held.forEach((candidate, index) => {
    const count = counts[index] as number;
    if (!candidate.isSlow || count <= most) return;
    victim = candidate;
    most = count;
  });
  return victim;
}

/** The connections of the addresses with many. */
export function crowdOf<Connection extends AdmittedConnection>(
  held: readonly Connection[],
): readonly Connection[] {
  const counts = placesOfHosts(held);
  return held.filter((_, index) => (counts[index] as number) >= MANY);
}

/** For each connection, the number of connections of its machine. */
function placesOfHosts(held: readonly AdmittedConnection[]): number[] {
  const hosts = held.map(({ address }) => hostOf(address));
  return hosts.map((host) => hosts.filter((other) => other === host).length);
}

/** The machine behind an address; for IPv6 its network, since a host can use any number of its addresses. */
export function hostOf(address: string | undefined): string {
  const bytes = address?.includes(":") ? parseIpv6(address) : undefined;
  if (!bytes) return address ?? "";
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? bytes.subarray(12).join(".") : bytes.subarray(0, 8).join(":");
}
