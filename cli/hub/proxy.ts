/**
 * Through which proxy a hub is reached (docs/spec/cli.md#proxy): by the variables of the environment that curl and most programs
 * read. Node's own `fetch` reads them only from version 24 on, and if asked to.
 */
import { BlockList, isIP } from "node:net";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @returns `undefined` for a hub that is reached directly
 * @throws {Error} for a variable that names no HTTP proxy
 */
export function proxyFor(hub: URL, environment: Environment = process.env): URL | undefined {
  const read = (name: string) => environment[name] || environment[name.toUpperCase()] || "";
  const given = read(hub.protocol === "https:" ? "https_proxy" : "http_proxy") || read("all_proxy");
  if (given === "" || isLoopback(hub.hostname) || isExempt(hub, read("no_proxy"))) return undefined;
  const address = given.includes("://") ? given : `http://${given}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return proxy;
  throw new Error("the environment names a proxy that is no HTTP proxy, such as http://proxy.example:3128");
}

function isLoopback(hostname: string): boolean {
  return /^(?:.+\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(hostname);
}

/** @param list separated by commas or spaces: `*`, names that stand for those below them too, addresses, networks such as `10.0.0.0/8`, each with a port or without */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const ownPort = port || (protocol === "https:" ? "443" : "80");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, named = "", namedPort] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) ? `[${entry}]` : entry) ?? [];
      if (namedPort !== undefined && namedPort !== ownPort) return false;
      const name = named.replace(/^\[|\]$/g, "").replace(/^\*?\./, "");
      if (name === "*" || name === "") return name === "*";
      return host === name || host.endsWith(`.${name}`) || isInNetwork(host, name);
    });
}

function isInNetwork(host: string, network: string): boolean {
  const [address = "", length = ""] = network.split("/", 2);
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(length)) return false;
  const list = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  if (Number(length) > (family === 4 ? 32 : 128)) return false;
  list.addSubnet(address, Number(length), type);
  return list.check(host, type);
}

/** As `fetch`. A tunnel leads to a hub over HTTPS: the proxy does not see what is sent. */
export async function fetchThrough(proxy: URL, url: string, init: RequestInit): Promise<Response> {
  const undici = await import("undici"); // only here: Node has its own, which takes no proxy
  const dispatcher = new undici.ProxyAgent({ uri: proxy.href, proxyTunnel: url.startsWith("https:") });
  const body = init.body instanceof FormData ? ownForm(new undici.FormData(), init.body) : init.body;
  return (await undici.fetch(url, { ...init, body, dispatcher } as object)) as unknown as Response;
}

/** undici takes forms of its own only. */
function ownForm<Form extends { append(name: string, value: unknown, fileName?: string): void }>(
  form: Form,
  given: FormData,
): Form {
  for (const [name, value] of given)
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, value.name);
  return form;
}
