/** Finds consoles in the local network by mDNS (`_svc._tcp`), on all interfaces. */
import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import type { Service } from "bonjour-service";

export interface NetworkConsole {
  /** Instance name, such as `Console-1A2B`. */
  readonly name: string;
  /** Such as `Console-1A2B.local`. */
  readonly host: string;
  /** `http://192.168.1.20:8080`. */
  readonly address: string;
  readonly fwVersion?: string;
}

interface Search {
  /** How long to wait for answers. */
  readonly forMs: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** Ends the search when it returns true. */
  readonly isClear?: (found: readonly NetworkConsole[]) => boolean;
}

/**
 * Times of repeated queries: Wi-Fi loses multicast packets, and a responder stays silent for a second after a multicast
 * answer (RFC 6762 §6).
 */
const REPEATS_MS = Object.freeze([350, 1150]);

/** @returns each console once, by address */
export async function searchNetwork({
  forMs,
  signal,
  isClear = () => false,
}: Search): Promise<NetworkConsole[]> {
  const { Bonjour } = await import("bonjour-service");
  const found: Map<string, NetworkConsole> = new Map();
  const waiting = new Waiting({ forMs, signal });
  // A socket for each interface, since a query leaves through one interface only. Each binds to 0.0.0.0: bound to an
  // interface's address, it would not receive multicast packets.
  const clients = ownAddresses().map((address) => {
    const options = { interface: address, bind: "0.0.0.0" } as object;
    return new Bonjour(options, () => {}); // a removed interface finds no console
  });
  const browsers = clients.map((client) =>
    client.find({ type: "svc" }, (service) => {
      const console = consoleOf(service);
      if (!console || found.has(console.address)) return;
      found.set(console.address, console);
      if (isClear([...found.values()])) waiting.end();
    }),
  );
  const again = REPEATS_MS.map((afterMs) =>
    setTimeout(() => {
      for (const browser of browsers) browser.update();
    }, afterMs),
  );
  await waiting.over;
  for (const timer of again) clearTimeout(timer);
  for (const client of clients) client.destroy();
  return [...found.values()];
}

/** @param address as in {@link NetworkConsole} */
export function isOwnAddress(address: string): boolean {
  const { hostname } = new URL(address);
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return own.some((entry) => entry.address === hostname);
}

/** @returns an IPv4 address for each interface; the loopback address only if there is no other */
function ownAddresses(): string[] {
  const first = Object.values(networkInterfaces()).flatMap(
    (entries) => entries?.find(({ family }) => family === "IPv4") ?? [],
  );
  const outside = first.filter(({ internal }) => !internal);
  return (outside.length > 0 ? outside : first).map(({ address }) => address);
}

function consoleOf({ name, host, port, txt, addresses = [], referer }: Service): NetworkConsole | undefined {
  const known = addresses.filter(isIPv4);
  const sender = referer?.address ?? "";
  // An announcement may omit the addresses: then the sender's address counts.
  const address = known.includes(sender) ? sender : (known[0] ?? sender);
  if (!isIPv4(address)) return undefined;
  const fwVersion = txt?.fw;
  return {
    name,
    host,
    address: `http://${address}:${port}`,
    ...(typeof fwVersion === "string" && { fwVersion }),
  };
}

/** A wait that can be ended early. */
class Waiting {
  end: () => void = () => {};
  over: Promise<void> = new Promise((resolve) => {
    this.end = resolve;
  });
  #timer: NodeJS.Timeout;

  constructor({ forMs, signal }: { forMs: number; signal: AbortSignal }) {
    // setImmediate: still processes answers that arrived while the event loop was busy.
    this.#timer = setTimeout(() => setImmediate(this.end), forMs);
    signal.addEventListener("abort", this.end, { once: true });
    this.over.then(() => clearTimeout(this.#timer));
  }
}
