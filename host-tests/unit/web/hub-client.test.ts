/** The page's client of the hub, over a fetch with the test's answers. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import { isThisComputer, keepHub, readKeptHub, typedAddress } from "../../../web/hub/hub-address.js";
import { HubClient } from "../../../web/hub/hub-client.js";
import { HubError } from "../../../web/hub/hub-error.js";

interface Asked {
  readonly url: string;
  readonly init: RequestInit;
}

const VERSION = {
  version: "1.0.0",
  size_bytes: 9,
  sha256: "",
  published_at: "2026-01-01T00:00:00.000Z",
  capabilities: [],
  target_arch: "generic",
};
const ENTRY = {
  id: "x",
  name: "x",
  version: "1.0.0",
  description: "",
  author: "",
  size_bytes: 9,
  icon_url: "",
  published_at: VERSION.published_at,
  manifest: {},
  sha256: "",
  publisher: "p",
  downloads: 0,
  versions: [VERSION],
};
const DEVICE = {
  device_id: "d",
  name: "n",
  mac: "m",
  arch: "native",
  firmware_version: "1.0.0",
  online: true,
  claimed: true,
  last_seen_at: null,
  status: null,
};
const APP = { app_id: "x", name: "x", version: "1.0.0", state: "installed", updated_at: "" };

/** A client and its requests. */
function clientOver(
  answer: () => Response | Promise<Response>,
  access: { token?: string } = { token: "t0k3n" },
) {
  const asked: Asked[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    asked.push({ url, init });
    return answer();
  };
  return { asked, client: new HubClient({ address: "http://hub.test:9090/api/v1/", ...access, fetch }) };
}

const refusing = (status: number, error: string) => () =>
  Response.json({ error, message: "No." }, { status });

test("a request has the hub's address, the version of the API and the token", async () => {
  const { asked, client } = clientOver(() => Response.json({ total: 0, page: 2, per_page: 20, apps: [] }));
  await client.catalog({ search: "two words", sort: "-downloads", page: 2 });
  assert.equal(
    asked[0]?.url,
    "http://hub.test:9090/api/v1/catalog?page=2&per_page=20&sort=-downloads&q=two+words",
  );
  assert.equal(Object(asked[0]?.init.headers).authorization, "Bearer t0k3n");
});

test("an account is created without a token", async () => {
  const { asked, client } = clientOver(() => Response.json({ account_id: "a", account_token: "b" }), {});
  assert.equal((await client.createAccount()).account_token, "b");
  assert.equal(asked[0]?.init.method, "POST");
  assert.deepEqual(asked[0]?.init.headers, {});
});

test("a claim sends its code as JSON", async () => {
  const { asked, client } = clientOver(() => Response.json(DEVICE));
  await client.claim("ABCD-1234");
  assert.equal(asked[0]?.init.body, '{"claim_code":"ABCD-1234"}');
  assert.equal(Object(asked[0]?.init.headers)["content-type"], "application/json");
});

/** A hub whose account has that many consoles. */
function fleetClient(total: number) {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    const from = (Number(new URL(url).searchParams.get("page")) - 1) * 100;
    const length = Math.max(0, Math.min(100, total - from));
    const devices = Array.from({ length }, (_, index) => ({ ...DEVICE, device_id: `d${from + index}` }));
    return Response.json({ total, page: 1, per_page: 100, devices });
  };
  return { asked, client: new HubClient({ address: "http://hub.test", token: "t", fetch }) };
}

const FLEETS = [
  { total: 0, listed: 0, requests: 1 },
  { total: 100, listed: 100, requests: 1 },
  { total: 101, listed: 101, requests: 2 },
  { total: 1000, listed: 1000, requests: 10 },
  { total: 10_000, listed: 1000, requests: 10 },
];
for (const { total, listed, requests } of FLEETS)
  test(`an account of ${total} consoles is read with ${requests} requests`, async () => {
    const { asked, client } = fleetClient(total);
    const found = await client.devices();
    assert.equal(found.total, total);
    assert.deepEqual(
      found.devices.map(({ device_id }) => device_id),
      Array.from({ length: listed }, (_, index) => `d${index}`),
    );
    assert.equal(asked.length, requests);
  });

test("a download reports its progress, and has the signature", async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Uint8Array.of(1, 2));
      controller.enqueue(Uint8Array.of(3));
      controller.close();
    },
  });
  const { client } = clientOver(() => new Response(body, { headers: { "x-svc-signature": "ab" } }));
  const progress: number[] = [];
  const options = { version: "1.0.0", onProgress: (received: number) => progress.push(received) };
  const { bytes, signature } = await client.download("bricks", options);
  assert.deepEqual([...bytes], [1, 2, 3]);
  assert.deepEqual(progress, [2, 3]);
  assert.equal(signature, "ab");
});

const REFUSALS = [
  { name: "a retracted app", answer: refusing(410, "app_retracted"), code: "app_retracted", status: 410 },
  {
    name: "a rejected token",
    answer: refusing(401, "unauthorized"),
    code: "unauthorized",
    status: 401,
  },
  {
    name: "a used claim code",
    answer: refusing(404, "claim_code_unknown"),
    code: "claim_code_unknown",
    status: 404,
  },
  {
    name: "an address of another service",
    answer: () => new Response("<h1>Not found</h1>", { status: 404 }),
    code: "not_a_hub",
    status: undefined,
  },
  {
    name: "a page instead of an answer",
    answer: () => new Response("<h1>"),
    code: "not_a_hub",
    status: undefined,
  },
  {
    name: "a hub that cannot be reached",
    answer: () => Promise.reject(new TypeError("Failed to fetch")),
    code: "hub_unreachable",
    status: undefined,
  },
  {
    name: "a hub that does not answer",
    answer: () => Promise.reject(new DOMException("", "TimeoutError")),
    code: "hub_timeout",
    status: undefined,
  },
];
for (const { name, answer, code, status } of REFUSALS)
  test(`${name} gives its code, a message and an advice`, async () => {
    await assert.rejects(clientOver(answer).client.entry("bricks"), (error: unknown) => {
      assert.ok(error instanceof HubError);
      assert.equal(error.code, code);
      assert.equal(error.status, status);
      assert.ok(error.message && error.advice);
      return true;
    });
  });

test("a console is not a hub", async () => {
  const { client } = clientOver(() => Response.json({ fw_version: "0.2.0" }));
  await assert.rejects(client.identify(), { code: "not_a_hub" });
});

type Asking = (client: HubClient) => Promise<unknown>;
const entry: Asking = (client) => client.entry("x");
const devices: Asking = (client) => client.devices();
const deviceApps: Asking = (client) => client.deviceApps("d");
const catalog: Asking = (client) => client.catalog({ search: "", sort: "name", page: 1 });
const PAGE = { total: 1, page: 1, per_page: 20 };
const INCOMPLETE: readonly { name: string; ask: Asking; body: unknown }[] = [
  { name: "an entry with only its name", ask: entry, body: { id: "x" } },
  { name: "an entry without a version", ask: entry, body: { ...ENTRY, versions: [] } },
  { name: "an entry with an empty version", ask: entry, body: { ...ENTRY, versions: [null] } },
  {
    name: "an entry whose version requires an unknown capability",
    ask: entry,
    body: { ...ENTRY, versions: [{ ...VERSION, capabilities: undefined }] },
  },
  { name: "an entry whose size is text", ask: entry, body: { ...ENTRY, size_bytes: "9" } },
  { name: "a catalogue without apps", ask: catalog, body: PAGE },
  { name: "a catalogue with an empty app", ask: catalog, body: { ...PAGE, apps: [{}] } },
  { name: "a list of another type", ask: devices, body: { ...PAGE, devices: {} } },
  {
    name: "a device without a name",
    ask: devices,
    body: { ...PAGE, devices: [{ ...DEVICE, name: undefined }] },
  },
  { name: "a list without its length", ask: devices, body: { ...PAGE, total: undefined, devices: [DEVICE] } },
  { name: "an app in an unknown state", ask: deviceApps, body: { apps: [{ ...APP, state: "lost" }] } },
  { name: "null", ask: deviceApps, body: null },
  {
    name: "an account without its token",
    ask: (client) => client.createAccount(),
    body: { account_id: "a" },
  },
  {
    name: "a claim without the device's name",
    ask: (client) => client.claim("A"),
    body: { ...DEVICE, name: undefined },
  },
  { name: "an empty command", ask: (client) => client.push("d", "x", "1.0.0"), body: {} },
];
for (const { name, ask, body } of INCOMPLETE)
  test(`${name} is rejected as a hub's answer`, async () => {
    const { client } = clientOver(() => Response.json(body));
    await assert.rejects(ask(client), { code: "not_a_hub" });
  });

test("an answer may have more members than the page reads", async () => {
  const more = { ...ENTRY, stars: 5 };
  assert.deepEqual(await clientOver(() => Response.json(more)).client.entry("x"), more);
  const apps = { apps: [APP, { ...APP, state: "failed", error: "storage_full" }], next: null };
  assert.deepEqual(await clientOver(() => Response.json(apps)).client.deviceApps("d"), apps.apps);
});

test("a cancelled download is reported as cancelled", async () => {
  const giveUp = new AbortController();
  const { client } = clientOver(() => {
    giveUp.abort();
    return Promise.reject(giveUp.signal.reason);
  });
  await assert.rejects(client.download("bricks", { version: "1.0.0", signal: giveUp.signal }), {
    code: "cancelled",
  });
});

const TYPED = [
  ["hub.example", "https://hub.example"],
  ["192.0.2.1:9090", "http://192.0.2.1:9090"],
  [" http://Hub.Example/api/v1/ ", "http://hub.example"],
  ["https://example.org/hub", "https://example.org/hub"],
] as const;
for (const [typed, address] of TYPED)
  test(`"${typed}" is the hub at ${address}`, () => assert.equal(typedAddress(typed), address));

test("an invalid address is rejected", () => assert.throws(() => typedAddress("not an address"), Fault));

test("a hub on this computer is distinguished from others", () => {
  for (const address of ["http://localhost:9090", "http://127.0.0.1:1", "http://[::1]:80"])
    assert.equal(isThisComputer(address), true);
  assert.equal(isThisComputer("http://192.168.1.2:9090"), false);
});

test("the hub is stored until the user signs out", () => {
  const keeper = new MapKeeper();
  assert.equal(readKeptHub(keeper), undefined);
  assert.equal(keepHub(keeper, { address: "http://hub.test", token: "t" }), true);
  assert.deepEqual(readKeptHub(keeper), { address: "http://hub.test", token: "t" });
  keepHub(keeper, undefined);
  assert.equal(readKeptHub(keeper), undefined);
});

test("invalid stored values are ignored", () => {
  for (const text of ["{", "null", "[]", '{"address":1}', '"http://hub.test"']) {
    const keeper = new MapKeeper();
    keeper.setItem("svc/hub", text);
    assert.equal(readKeptHub(keeper), undefined);
  }
});

test("a browser that cannot store the hub reports that", () => {
  const keeper = new MapKeeper();
  keeper.setItem = () => {
    throw new DOMException("", "QuotaExceededError");
  };
  assert.equal(keepHub(keeper, { address: "http://hub.test" }), false);
});

class MapKeeper {
  readonly #items = new Map<string, string>();

  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.#items.set(key, value);
  }

  removeItem(key: string): void {
    this.#items.delete(key);
  }
}
