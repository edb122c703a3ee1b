/**
 * Decides which client gets one of few connections (docs/spec/http.md#room-last). The last one is for an address that
 * holds none, so that one machine cannot hold them all. Where all are in use, the server closes an idle connection, one
 * that only waits for its client's next request: of the address with the most connections first, and of these the
 * longest idle one. Where none is idle, an address that holds none gets the place of a slow one of an address that
 * holds three or more (docs/spec/http.md#room-slow): so two addresses cannot keep out a third.
 */
import { parseIpv6 } from "../identity/identity.js";

/**
 * A connection on which nothing was asked yet is idle after this, and may be closed for another one: browsers open some
 * in advance. A request that is on its way arrives sooner (docs/spec/http.md#room-idle). One that is
 * kept alive is given up for want of memory after it, too.
 */
export const SILENT_AFTER_MS = 2_000;

/** What matters of a connection that holds a place. */
export interface Held {
  /** Of the peer, in text; `undefined` where the peer was gone before the address was read. */
  readonly address: string | undefined;
  /** Since when nothing is under way on it; `undefined` while something is. */
  readonly idleSinceMs: number | undefined;
  /** Whether what is under way on it comes slower than nearly every network brings it. */
  readonly isSlow?: boolean;
}

/** An address that holds so many can do without one of them. */
const MANY = 3;

/**
 * What makes room for a connection from `address` beside those of `held`.
 * @returns `"free"`, or the one to close for it, or `undefined` where all are in use
 */
export function roomFor<Connection extends Held>(
  held: ReadonlySet<Connection>,
  address: string | undefined,
  limit: number,
): Connection | "free" | undefined {
  if (hasPlace(held, address, limit)) return "free";
  const victim = chooseVictim([...held]);
  return victim || holdsPlace(held, address) ? victim : chooseSlow([...held]);
}

/** Whether one more place of `limit` may go to `address`. */
export function hasPlace(
  held: ReadonlySet<Pick<Held, "address">>,
  address: string | undefined,
  limit: number,
): boolean {
  if (held.size < limit - 1) return true;
  return held.size < limit && !holdsPlace(held, address);
}

/** Whether the machine behind `peer` holds a place already. */
export function holdsPlace(held: ReadonlySet<Pick<Held, "address">>, peer: string | undefined): boolean {
  const host = hostOf(peer);
  for (const { address } of held) if (hostOf(address) === host) return true;
  return false;
}

/** The one to close for another, `undefined` where none is idle. */
export function chooseVictim<Connection extends Held>(held: readonly Connection[]): Connection | undefined {
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

/** A slow one of the address with the most, `undefined` where none holds many. */
function chooseSlow<Connection extends Held>(held: readonly Connection[]): Connection | undefined {
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

/** Those of the addresses that hold many. */
export function crowdOf<Connection extends Held>(held: readonly Connection[]): readonly Connection[] {
  const counts = placesOfHosts(held);
  return held.filter((_, index) => (counts[index] as number) >= MANY);
}

/** How many places the machine behind each of them holds. */
function placesOfHosts(held: readonly Held[]): number[] {
  const hosts = held.map(({ address }) => hostOf(address));
  return hosts.map((host) => hosts.filter((other) => other === host).length);
}

/** The owner of an address, as far as it is visible: an IPv6 network gives each host as many addresses as it wants. */
function hostOf(address: string | undefined): string {
  const bytes = address?.includes(":") ? parseIpv6(address) : undefined;
  if (!bytes) return address ?? "";
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? bytes.subarray(12).join(".") : bytes.subarray(0, 8).join(":");
}
