/**
 * Changes that the test of power cuts makes: each is done whole or not at all, whenever the power fails. They go over
 * the network, with the console's bearer token.
 */
import { setTimeout as wait } from "node:timers/promises";
import { CHUNK_LIMIT_BYTES as CHUNK_BYTES } from "../../protocol/limits.js";
import { installOverHttp } from "../hosts/app-clients.js";
import { askHttp } from "../hosts/http-client.js";
import type { Console } from "../hosts/simulator.js";
import { type Reply, sendInHttpChunks } from "../hosts/upload-clients.js";
import { UsbClient } from "../hosts/usb-client.js";
import type { FirmwareFile, SignedFile } from "./arguments.js";
import type { KeptState } from "./kept-state.js";

/** A console that may be asked to do what its owner may. */
export interface OwnedConsole {
  readonly http: string;
  /** Bearer token. */
  readonly token: string;
}

export interface Change {
  readonly name: string;
  /** Name of the app that it changes. */
  readonly app?: string;
  /** How often it is chosen, among the others. */
  readonly share: number;
  /** @returns the state after it, or `undefined` if it cannot be made in this one */
  after(state: KeptState): KeptState | undefined;
  /** @throws {Error} if the console refuses it */
  make(console: OwnedConsole): Promise<void>;
}

/** Reads the token over the management port, which is the owner's. */
export async function ownConsole({ http, usb }: Pick<Console, "http" | "usb">): Promise<OwnedConsole> {
  const port = await UsbClient.open(usb, true);
  try {
    const { body } = await port.request("GET", "/api/auth/token");
    return { http, token: body.token };
  } finally {
    await port.close();
  }
}

/** Asks the console for what it keeps. */
export async function observe(console: OwnedConsole): Promise<KeptState> {
  const ota = await ask(console, "GET", "/api/ota/status");
  const apps: readonly AppEntry[] = await ask(console, "GET", "/api/apps/list");
  const hub = await ask(console, "GET", "/api/hub");
  const { result, version, error } = ota.last_result ?? {};
  const isTrial = ota.state === "pending_confirm";
  return {
    // What is confirmed is not told during a trial, and does not matter to inWords().
    confirmed: isTrial ? "" : ota.running_version,
    trial: isTrial ? ota.running_version : undefined,
    staged: ota.staged_version,
    result: result === undefined ? undefined : [result, version, error].filter(Boolean).join(" "),
    apps: Object.fromEntries(apps.map((app) => [app.name, app.version])),
    hub: hub.url,
  };
}

interface AppEntry {
  readonly name: string;
  readonly version: string;
}

/** Installs a package. @returns the entry of the app that is in it */
export async function install({ http }: OwnedConsole, { bytes, signature }: SignedFile): Promise<AppEntry> {
  const answer = await whenThereIsMemory(() => installOverHttp({ http }, { file: bytes, signature }));
  expectDone(answer);
  return answer.body;
}

/** Starts an app, which reads all of its module, and stops it. @throws {Error} if it does not start */
export async function tryApp(console: OwnedConsole, name: string): Promise<void> {
  await ask(console, "POST", `/api/apps/start?name=${name}`);
  const { status, body } = await request(console, "POST", `/api/apps/stop?name=${name}`);
  if (status !== 200 && body.error !== "app_stopped") expectDone({ status, body }); // it may have ended by itself
}

/** An address that documentation may use (RFC 5737), at which nothing answers. */
const HUBS = ["http://192.0.2.1", "http://192.0.2.2:8000", ""];

/** A package, and what is in it. */
export type KnownPackage = SignedFile & { readonly app: AppEntry };

export function changesWith(
  packages: readonly KnownPackage[],
  bundles: readonly FirmwareFile[],
): readonly Change[] {
  return [...packages.flatMap(changesOfApp), ...HUBS.map(setHub), ...bundles.map(stage), CONFIRM];
}

function changesOfApp({ app: { name, version }, ...file }: KnownPackage): readonly Change[] {
  return [
    {
      name: `install ${name} ${version}`,
      app: name,
      share: 2,
      after: (state) => ({ ...state, apps: { ...state.apps, [name]: version } }),
      make: async (console) => void (await install(console, file)),
    },
    {
      name: `uninstall ${name}`,
      app: name,
      share: 1,
      after(state) {
        const { [name]: installed, ...apps } = state.apps;
        return installed === undefined ? undefined : { ...state, apps };
      },
      make: async (console) => void (await ask(console, "POST", `/api/apps/uninstall?name=${name}`)),
    },
  ];
}

function setHub(url: string): Change {
  return {
    name: url === "" ? "forget the hub" : `set the hub ${url}`,
    share: 1,
    after: (state) => (state.hub === url ? undefined : { ...state, hub: url }),
    make: async (console) => void (await ask(console, "POST", `/api/hub?${new URLSearchParams({ url })}`)),
  };
}

function stage({ bytes: file, version }: FirmwareFile): Change {
  return {
    name: `stage firmware ${version}`,
    share: 3,
    after: (state) =>
      state.trial !== undefined || state.confirmed === version ? undefined : { ...state, staged: version },
    // In chunks: a slow emulator takes longer for the whole than a client waits for an answer.
    make: async (console) =>
      expectDone(
        await whenThereIsMemory(() =>
          sendInHttpChunks(console, { path: "/api/ota/upload", file }, CHUNK_BYTES),
        ),
      ),
  };
}

const CONFIRM: Change = {
  name: "confirm the firmware",
  share: 6, // it can only be made after another update has come as far
  after: ({ trial, ...state }) =>
    trial === undefined ? undefined : { ...state, confirmed: trial, result: `confirmed ${trial}` },
  make: async (console) => void (await ask(console, "POST", "/api/ota/confirm")),
};

// biome-ignore lint/suspicious/noExplicitAny: whatever the endpoint answers
async function ask(console: OwnedConsole, method: "GET" | "POST", path: string): Promise<any> {
  const answer = await request(console, method, path);
  expectDone(answer);
  return answer.body;
}

const request = ({ http, token }: OwnedConsole, method: "GET" | "POST", path: string) =>
  whenThereIsMemory(() => askHttp(http + path, { method, headers: { authorization: `Bearer ${token}` } }));

const MOST_REFUSALS = 10;

/** Asks again after the time that a console which is short of memory names (docs/spec/memory.md#admission). */
async function whenThereIsMemory(send: () => Promise<Reply>): Promise<Reply> {
  for (let refusals = 0; ; refusals++) {
    const answer = await send();
    const seconds = answer.status === 503 ? answer.body.retry_after_s : undefined;
    if (seconds === undefined || refusals === MOST_REFUSALS) return answer;
    await wait(1000 * seconds);
  }
}

function expectDone({ status, body }: Reply): void {
  if (status !== 200) throw new Error(`the console answered ${status} ${JSON.stringify(body)}`);
}
