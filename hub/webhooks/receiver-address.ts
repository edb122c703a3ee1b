/**
 * Which addresses a webhook may be sent to. Accounts choose the address, and the hub must not become their way into the
 * network that it stands in: only public addresses are allowed, or also private ones if the operator says so. A name is
 * resolved for each connection, and the connection goes to the addresses that were checked, so that a name that resolves
 * otherwise a moment later (DNS rebinding) reaches nothing.
 */
import { lookup, Resolver } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Fault } from "../../protocol/fault.js";

/** Longest address of a webhook. */
const URL_LIMIT_CHARACTERS = 2048;

/** Not globally reachable (RFC 6890 and the registry of IANA), but those of {@link PRIVATE}. */
const SPECIAL: readonly (readonly [network: string, prefix: number])[] = [
  ...([
    ["0.0.0.0", 8],
    ["169.254.0.0", 16],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
  ] as const),
  ...([
    ["192.88.99.0", 24],
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
  ] as const),
  ...([
    ["203.0.113.0", 24],
    ["224.0.0.0", 4],
    ["240.0.0.0", 4],
  ] as const),
  // Of IPv6 only 2000::/3 is public. These parts of it are not, or contain an IPv4 address (Teredo, 6to4).
  ...([
    ["2001::", 23],
    ["2001:db8::", 32],
    ["2002::", 16],
    ["3fff::", 20],
  ] as const),
];

/** Within a machine, a site or a provider. Without link-local ones, at which clouds offer their secrets. */
const PRIVATE: typeof SPECIAL = [
  ...([
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["172.16.0.0", 12],
    ["192.168.0.0", 16],
  ] as const),
  ...([
    ["127.0.0.0", 8],
    ["::1", 128],
    ["fc00::", 7],
  ] as const),
];

const LOOPBACK = blockList([
  ["127.0.0.0", 8],
  ["::1", 128],
]);
const PRIVATE_LIST = blockList(PRIVATE);
const SPECIAL_LIST = blockList(SPECIAL);
const PUBLIC_IPV6 = blockList([["2000::", 3]]);

function blockList(networks: typeof SPECIAL): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, familyOf(network));
  return list;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

export interface ReceiverPolicy {
  /** `SVC_HUB_WEBHOOKS_PRIVATE`: also private addresses, and `http` to this machine. */
  readonly allowsPrivate: boolean;
}

/** @param address of IPv4 or IPv6; an IPv4 address in the form of IPv6 is never allowed */
export function isAllowedAddress(address: string, { allowsPrivate }: ReceiverPolicy): boolean {
  const family = familyOf(address);
  if (isIP(address) === 0 || (family === "ipv6" && address.includes("%"))) return false;
  if (family === "ipv6" && /^::ffff:/i.test(address)) return false;
  if (PRIVATE_LIST.check(address, family)) return allowsPrivate;
  if (SPECIAL_LIST.check(address, family)) return false;
  return family === "ipv4" || PUBLIC_IPV6.check(address, family);
}

/** The error of a connection that was not made. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
  readonly code = "address_refused";
}

/** @returns every address of the name */
export type Resolve = (name: string) => Promise<readonly string[]>;

/**
 * Asks the name servers directly. The system's resolver has the four threads that also read files: names of which the
 * server never answers would take them all.
 */
const NAME_SERVER_TIMEOUT_MS = 2000;

async function resolveByNameServers(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: NAME_SERVER_TIMEOUT_MS, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const [first] = answers;
  if (addresses.length === 0 && first?.status === "rejected") throw first.reason;
  return addresses;
}

/** Knows the names of a local network, too. Its accounts are the operator's own, who wastes no threads. */
async function resolveBySystem(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/**
 * The `lookup` of a connection: fails unless every address of the name is allowed.
 * @param isPlain whether the connection has no TLS: then it must be to this machine
 */
export function guardedLookup(
  policy: ReceiverPolicy,
  isPlain: boolean,
  resolve: Resolve = policy.allowsPrivate ? resolveBySystem : resolveByNameServers,
): LookupFunction {
  return (name, options, callback) => {
    resolve(name)
      .then((addresses) => {
        for (const address of addresses) requireAllowed(address, policy, isPlain);
        return addresses.map((address) => ({ address, family: isIP(address) }));
      })
      .then(
        (found) => {
          const [first] = found;
          if (!first) callback(new AddressRefused(`"${name}" has no address`), "");
          else if (options.all) callback(null, found);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, ""),
      );
  };
}

/** @throws {AddressRefused} */
export function requireAllowed(address: string, policy: ReceiverPolicy, isPlain: boolean): void {
  const isLoopback = LOOPBACK.check(address, familyOf(address));
  if (!isAllowedAddress(address, policy) || (isPlain && !isLoopback))
    throw new AddressRefused("The address is not allowed");
}

/**
 * Checks the address that an account names. A name is not resolved here: what it resolves to may change.
 * @returns the address in its usual form
 * @throws {Fault} `bad_parameter`
 */
export function readReceiverUrl(text: string, policy: ReceiverPolicy): string {
  if (text.length > URL_LIMIT_CHARACTERS || !URL.canParse(text))
    throw new Fault(
      "bad_parameter",
      `"url" must be an address of at most ${URL_LIMIT_CHARACTERS} characters`,
    );
  const url = new URL(text);
  const isPlain = url.protocol === "http:";
  if (url.protocol !== "https:" && !(isPlain && policy.allowsPrivate))
    throw new Fault("bad_parameter", '"url" must begin with https://');
  if (url.username !== "" || url.password !== "" || url.hash !== "")
    throw new Fault("bad_parameter", '"url" must not contain a user, a password or a fragment');
  const literal = literalOf(url);
  if (literal !== undefined)
    try {
      requireAllowed(literal, policy, isPlain);
    } catch (cause) {
      throw new Fault("bad_parameter", '"url" must not name an address of a private network', { cause });
    }
  if (url.href.length > URL_LIMIT_CHARACTERS) throw new Fault("bad_parameter", '"url" is too long');
  return url.href;
}

/** The IP address that a URL names, in its usual form: decimal, octal and short forms are those of the same address. */
export function literalOf({ hostname }: URL): string | undefined {
  const plain = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(plain) ? plain : undefined;
}
