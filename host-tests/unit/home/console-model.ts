/** A small model of a console: the part of the management API that the home screen uses, without any hardware. */
import { readFileSync } from "node:fs";
import path from "node:path";
import * as part from "../../../device/home/app/parts.js";
import { HomeChanges } from "../../../device/services/home/home-changes.js";

export interface ModelApp {
  name: string;
  version: string;
  description: string;
  author: string;
  size_bytes: number;
  capabilities: string[];
  state: "stopped" | "running";
  icon?: Uint8Array;
  background?: true;
  last_exit?: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
}

interface ModelNetwork {
  readonly ssid: string;
  readonly rssi: number;
  readonly secured: boolean;
  readonly password?: string;
}

/** As `GET /api/hub/questions` has it. */
export interface ModelQuestion {
  readonly id: string;
  readonly kind: "install" | "uninstall" | "firmware" | "add_key" | "remove_key";
  readonly name?: string;
  readonly version?: string;
  readonly size_bytes?: number;
  readonly publisher?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Thrown by an endpoint, and answered as an error. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function icon(name: string): Uint8Array {
  return readFileSync(path.join(import.meta.dirname, "../../../sdk/examples", name, "icon_32.bmp"));
}

export function modelApp(name: string, more: Partial<ModelApp> = {}): ModelApp {
  return {
    name,
    version: "1.0.0",
    description: `The app ${name}`,
    author: "SVC examples",
    size_bytes: 23_456,
    capabilities: ["display.write", "gpio.read"],
    state: "stopped" as const,
    ...more,
  };
}

const NETWORKS: readonly ModelNetwork[] = [
  { ssid: "Workshop", rssi: -48, secured: true, password: "solder-iron" },
  { ssid: "Café Nord", rssi: -66, secured: false },
  { ssid: "a network with a name of 32 char", rssi: -84, secured: true, password: "12345678" },
];

const SETTINGS = { start_app: "", brightness_percent: 100, sleep_after_s: 0, updates: "ask" };

export class ConsoleModel {
  apps: ModelApp[];
  networks: readonly ModelNetwork[] = NETWORKS;
  wifi: Record<string, unknown> = { state: "joined", ssid: "Workshop", ip: "192.168.1.23", rssi: -58 };
  hub: Record<string, unknown> = { url: "", connected: false };
  questions: ModelQuestion[] = [];
  /** Of the owner, in hexadecimal digits. */
  keys: string[] = [];
  isUsbConnected = false;
  settings: Record<string, unknown> = { ...SETTINGS };
  firmware: Record<string, unknown> = {
    state: "idle",
    received_bytes: 0,
    total_bytes: 0,
    progress_percent: 0,
    running_version: "0.1.0",
    running_slot: "a",
  };
  log: string[] = ["0.012 I boot: firmware 0.1.0 in slot a, reset: power_on", "0.340 I http: port 8080"];
  freeHeapBytes = 61_440;
  storage = { total_bytes: 3_145_728, free_bytes: 1_234_567 };
  cardApps: Record<string, unknown> | undefined;
  readonly changes = new HomeChanges();
  /** Of the host that the model is given to. */
  uptimeMs = (): number => 0;
  /** Name of the app in front of the home screen, if any. */
  front: string | undefined;
  restarts = 0;
  /** The set-up access point; `undefined` on a console without one. */
  setup: Record<string, unknown> | undefined;
  /** Requests in the order of their arrival. */
  readonly requests: string[] = [];
  /** Answers that come in place of the true ones, by the beginning of the request. */
  readonly instead = new Map<string, Answer | number>();
  /** Changes what is answered: to break it. */
  distort: (body: Uint8Array) => Uint8Array = (body) => body;

  constructor(apps: ModelApp[] = []) {
    this.apps = apps;
  }

  /** @returns the status, or a number below 0 */
  handle(text: string): Answer | number {
    this.requests.push(text);
    for (const [start, answer] of this.instead) if (text.startsWith(start)) return answer;
    const [, method = "", target = ""] = /^(GET|POST) (\/\S*)$/.exec(text) ?? [];
    if (!method) return -22;
    const [place = "", query = ""] = target.split("?");
    try {
      const answer = this.#route(`${method} ${place}`, new URLSearchParams(query));
      const body = answer instanceof Uint8Array ? answer : new TextEncoder().encode(JSON.stringify(answer));
      return { status: 200, body: this.distort(body) };
    } catch (error) {
      if (error instanceof Refusal) return failure(error.status, error.code, error.message);
      throw error;
    }
  }

  /** Something of these parts has changed. */
  changed(parts: number): void {
    this.changes.add(parts);
  }

  /** What an app does by itself. */
  end(name: string, lastExit: Json): void {
    const app = this.#app(name);
    app.state = "stopped";
    app.last_exit = { ...lastExit, at_ms: this.uptimeMs() };
    if (this.front === name) this.front = undefined;
    this.changed(part.APPS);
  }

  #route(endpoint: string, query: URLSearchParams): unknown {
    const name = query.get("name") ?? "";
    switch (endpoint) {
      case "GET /api/status":
        return this.#status();
      case "GET /api/system":
        return this.#system();
      case "GET /api/apps/list":
        return this.#sorted().map((app) => this.#entry(app));
      case "GET /api/apps/icon":
        return this.#app(name).icon ?? refuse(404, "not_found", `"${name}" has no icon`);
      case "POST /api/apps/start":
        return this.#start(this.#app(name));
      case "POST /api/apps/front":
        return this.#bringToFront(this.#app(name));
      case "POST /api/apps/background":
        return this.#allowBackground(this.#app(name), query.get("allowed") === "true");
      case "POST /api/apps/stop":
        return this.#stop(this.#app(name));
      case "POST /api/apps/uninstall":
        return this.#uninstall(this.#app(name));
      case "GET /api/settings":
        return this.settings;
      case "POST /api/settings":
        return this.#set(query);
      case "GET /api/wifi":
        return this.wifi;
      case "GET /api/wifi/scan":
        return {
          networks: this.networks.map(({ ssid, rssi, secured }) => ({ ssid, rssi, channel: 6, secured })),
        };
      case "POST /api/wifi":
        return this.#join(query);
      case "GET /api/wifi/setup":
        return this.setup ?? refuse(501, "not_implemented", "This console has no set-up access point");
      case "POST /api/wifi/setup":
        return this.#changeSetup(query.get("open") === "true");
      case "GET /api/hub":
        return this.hub;
      case "POST /api/hub":
        return this.#setHub(query.get("url") ?? "");
      case "GET /api/hub/questions":
        return { questions: this.questions };
      case "POST /api/hub/questions":
        return this.#answer(query);
      case "GET /api/keys/owner":
        return { keys: this.keys.map((key) => ({ key })) };
      case "POST /api/keys/owner":
        return this.#askToRemove(query.get("key") ?? "");
      case "GET /api/ota/status":
        return this.firmware;
      case "POST /api/ota/confirm":
        return this.#confirm();
      case "GET /api/logs":
        return { lines: this.log.slice(-Number(query.get("limit"))), next: this.log.length, dropped: 0 };
      case "POST /api/cmd":
        return this.#command(query.get("c") ?? "");
      case "POST /api/reboot":
        this.restarts++;
        return { rebooting: true };
      case "POST /api/factory-reset":
        return this.#reset();
      default:
        return refuse(404, "not_found", "There is no such path");
    }
  }

  #askToRemove(digits: string): Json {
    const name = this.keys.find((key) => key.startsWith(digits)) ?? "";
    this.questions = [{ id: "remove_key-1", kind: "remove_key", name }];
    this.changed(part.QUESTIONS);
    return { keys: this.keys.map((key) => ({ key })), question: "remove_key-1" };
  }

  #status(): Json {
    return {
      fw_version: "0.1.0",
      codename: "seed",
      uptime_ms: this.requests.length,
      free_heap_bytes: this.freeHeapBytes,
      wifi_ip: this.wifi["ip"] ?? "",
      wifi_rssi: this.wifi["rssi"] ?? 0,
      bt_mode: "off",
    };
  }

  #system(): Json {
    return {
      name: "Console-1A2B",
      board: "esp32s3",
      arch: "xtensa",
      mac: "00:00:00:00:1A:2B",
      cpu: { model: "LX7", cores: 2, load_percent: 3 },
      storage: this.storage,
      http_port: 8080,
      usb_connected: this.isUsbConnected,
      ...(this.cardApps && { card_apps: this.cardApps }),
      features: ["apps", "ota", "screen", "hub", ...(this.setup ? ["setup_ap"] : [])],
      limits: { running_apps: 4, deep: [[[[{}]]]] },
    };
  }

  #sorted(): ModelApp[] {
    return [...this.apps].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  #entry({ icon, ...app }: ModelApp): Json {
    return {
      ...app,
      memory_quota: 65_536,
      variants: [],
      ...(icon && { icon: true }),
      ...(app.state === "running" && { engine: "wasm3" }),
      ...(this.front === app.name && { foreground: true }),
    };
  }

  #app(name: string): ModelApp {
    return (
      this.apps.find((app) => app.name === name) ??
      refuse(404, "app_not_found", `There is no app "${name}" on this console`)
    );
  }

  #start(app: ModelApp): Json {
    if (app.state === "running") refuse(409, "app_running", `"${app.name}" runs already`);
    if (this.apps.filter(({ state }) => state === "running").length === 4)
      refuse(503, "too_many_apps", "Cannot start another app: 4 are running");
    app.state = "running";
    return this.#bringToFront(app);
  }

  #bringToFront(app: ModelApp): Json {
    if (app.state === "stopped") refuse(409, "app_stopped", `"${app.name}" does not run`);
    this.front = app.name;
    this.changed(part.APPS);
    return this.#entry(app);
  }

  #allowBackground(app: ModelApp, isAllowed: boolean): Json {
    if (isAllowed) app.background = true;
    else delete app.background;
    this.changed(part.APPS);
    return this.#entry(app);
  }

  #stop(app: ModelApp): Json {
    if (app.state === "stopped") refuse(409, "app_stopped", `"${app.name}" does not run`);
    this.end(app.name, { reason: "stopped" });
    return this.#entry(app);
  }

  #uninstall(app: ModelApp): Json {
    this.apps = this.apps.filter((other) => other !== app);
    if (this.front === app.name) this.front = undefined;
    this.changed(part.APPS);
    return { removed: app.name };
  }

  #set(query: URLSearchParams): Json {
    for (const [name, value] of query) {
      const known = this.settings[name];
      if (known === undefined) refuse(400, "bad_parameter", `There is no setting "${name}"`);
      this.settings[name] = typeof known === "number" ? Number(value) : value;
    }
    return this.settings;
  }

  #join(query: URLSearchParams): Json {
    const ssid = query.get("ssid") ?? "";
    const password = query.get("password") ?? "";
    this.changed(part.WIFI | part.STATUS);
    if (query.get("forget") === "true") this.wifi = { state: "unprovisioned", ip: "", rssi: 0 };
    else if (password && password.length < 8)
      refuse(400, "bad_parameter", "A password has 8 to 63 characters");
    else this.wifi = { state: "joining", ssid, ip: "", rssi: 0, ...this.#resultOfJoin(ssid, password) };
    return this.wifi;
  }

  #changeSetup(open: boolean): Json {
    this.setup = open
      ? {
          state: "open",
          ssid: "Console-1A2B",
          password: "k7mwp3xteh9v",
          clients: 0,
          client_limit: 8,
          page: "http://192.168.4.1/",
          dns_port: 53,
          closes_in_ms: 600_000,
        }
      : { state: "closed", ended: "closed" };
    return this.setup;
  }

  #resultOfJoin(ssid: string, password: string): Json {
    const network = this.networks.find((other) => other.ssid === ssid);
    if (!network)
      return { state: "waiting", last_error: { reason: "not_found", message: "No such network" } };
    if ((network.password ?? "") !== password)
      return { state: "waiting", last_error: { reason: "wrong_password", message: "Wrong password" } };
    return { state: "joined", ip: "192.168.1.24", rssi: network.rssi };
  }

  #setHub(url: string): Json {
    if (url !== "" && !/^https?:\/\/[a-z0-9.-]+(:[0-9]+)?$/.test(url))
      refuse(400, "bad_parameter", `"${url}" is not the address of a hub`);
    this.hub = { url, connected: false };
    this.questions = [];
    this.changed(part.HUB | part.QUESTIONS);
    return this.hub;
  }

  #answer(query: URLSearchParams): Json {
    const question = this.questions.find(({ id }) => id === query.get("id"));
    if (!question) refuse(404, "command_not_found", "The hub asks nothing with this id");
    this.questions = this.questions.filter((other) => other !== question);
    if (question?.kind === "firmware" && query.get("accept") === "true") this.#command("ota apply");
    this.changed(part.QUESTIONS | part.FIRMWARE);
    return { questions: this.questions };
  }

  #confirm(): Json {
    if (this.firmware["state"] !== "pending_confirm")
      refuse(409, "nothing_pending", "No firmware is on trial");
    const { confirm_within_ms: _, ...firmware } = this.firmware;
    this.firmware = { ...firmware, state: "idle", last_result: { result: "confirmed", version: "0.2.0" } };
    this.changed(part.FIRMWARE);
    return this.firmware;
  }

  #command(line: string): Json {
    if (line !== "ota apply" || !this.firmware["available"])
      return { output: "There is no firmware to apply", error: "nothing_pending" };
    const { available: _, ...firmware } = this.firmware;
    this.firmware = { ...firmware, state: "receiving", progress_percent: 0, total_bytes: 1_500_000 };
    this.changed(part.FIRMWARE | part.QUESTIONS);
    return { output: "Fetching firmware 0.2.0" };
  }

  #reset(): Json {
    this.apps = [];
    this.wifi = { state: "unprovisioned", ip: "", rssi: 0 };
    this.hub = { url: "", connected: false };
    this.questions = [];
    this.settings = { ...SETTINGS };
    this.restarts++;
    this.changed(part.EVERYWHERE);
    return { resetting: true };
  }
}

export function failure(status: number, error: string, message: string): Answer {
  return { status, body: new TextEncoder().encode(JSON.stringify({ error, message })) };
}

function refuse(status: number, code: string, message: string): never {
  throw new Refusal(status, code, message);
}
