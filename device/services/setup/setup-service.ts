/**
 * The set-up access point (docs/spec/setup.md): a network of the console's own for a phone, with a page on which its user
 * chooses the network that the console is to join. It has listeners of its own, and costs memory only while it is open.
 *
 *              open                 joined              400 ms
 *     closed ---------> open <---> joining ---------> joined ---------> closed
 *        ^               |  failed   |
 *        `---------------+-----------'
 *         close, time limit
 */
import type { SetupEnd, SetupStatus, WifiStatus } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import type { Tcp } from "../../../protocol/ports/network.js";
import type { Clock, Memory, Random, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Sandbox } from "../../../protocol/ports/sandbox.js";
import type { AccessPoint, AccessPointConstructor } from "../../ports/access-point.js";
import type { Udp, UdpSocket } from "../../ports/udp.js";
import type { Call } from "../api/call.js";
import type { Api, JsonAnswer } from "../api/request.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { HttpCodec } from "../http/http-codec.js";
import { HttpServer } from "../http/http-server.js";
import { parseIpv4 } from "../identity/identity.js";
import type { Logger } from "../logs/log-line.js";
import type { Found } from "../wifi/scan.js";
import type { WifiService } from "../wifi/wifi-service.js";
import { DnsResponder } from "./dns-responder.js";
import { Portal, type PortalSession } from "./portal.js";
import type { SetupForm } from "./setup-form.js";
import type { SetupPageState, SetupView } from "./setup-page.js";
import { randomText } from "./setup-password.js";

/** Clients of the access point at a time (docs/spec/setup.md#clients). */
const CLIENT_LIMIT = 8;

/** Time for the page of success to reach the phone. The access point ends within a second of joining. */
const CLOSE_AFTER_MS = 400;

const HTTP_PORT = 80;
const DNS_PORT = 53;

export interface SetupOptions {
  readonly AccessPoint: AccessPointConstructor;
  readonly Udp: Udp;
  readonly tcp: Tcp;
  readonly api: Pick<Api, "answerTo">;
  readonly wifi: WifiService;
  readonly sandbox: Sandbox;
  /** Shared with other servers; remains open. */
  readonly codec: HttpCodec;
  readonly memory: Memory;
  readonly heap: HeapAdmission;
  readonly random: Random;
  readonly timer: Timer;
  readonly clock: Clock;
  readonly log: Logger;
  /** Name of the console and of its network. */
  readonly name: string;
  /** Longest time for which it is open, in seconds. */
  readonly limitS: number;
  /** Ports other than a board's, 0 for any free one. */
  readonly httpPort?: number | undefined;
  readonly dnsPort?: number | undefined;
  /** {@link SetupService.status} has changed. */
  onChange(): void;
}

export class SetupService {
  readonly #options: SetupOptions;
  #session: SetupSession | undefined;
  #ended: SetupEnd | undefined;

  constructor(options: SetupOptions) {
    this.#options = options;
  }

  /** TCP port of the page, -1 while closed. */
  get port(): number {
    return this.#session?.httpPort ?? -1;
  }

  /** Whether `address` is the console's own in the network of the access point. */
  isAddress(address: string | undefined): boolean {
    return this.#session !== undefined && this.#session.address === address;
  }

  status(): SetupStatus {
    if (this.#session) return this.#session.status();
    return { state: "closed", ...(this.#ended && { ended: this.#ended }) };
  }

  /**
   * Open the access point; no-op while it is open.
   * @throws {Fault} `busy` without memory, `wifi_busy` if the radio or a port cannot be had
   */
  open(): void {
    if (this.#session) return;
    this.#options.heap.requireToStay(HEAP_NEEDS.setup);
    try {
      this.#session = new SetupSession(this.#options, (end) => this.close(end));
    } catch (cause) {
      throw new Fault("wifi_busy", "The set-up access point cannot be opened now", { cause });
    }
    this.#ended = undefined;
    this.#session.begin();
    this.#options.onChange();
  }

  /** Close the access point; no-op while it is closed. */
  close(end: SetupEnd = "closed"): void {
    const session = this.#session;
    if (!session) return;
    this.#session = undefined;
    this.#ended = end;
    session.close();
    this.#options.log.info(`the set-up access point is closed: ${end}`);
    this.#options.onChange();
  }

  /** To be called at each change of the state of {@link SetupOptions.wifi}. */
  wifiChanged(): void {
    this.#session?.wifiChanged();
  }
}

/** One opening: the access point, its name server and its page. */
class SetupSession implements PortalSession {
  readonly authority: string;
  readonly #options: SetupOptions;
  readonly #key: string;
  readonly #password: string;
  readonly #end: (end: SetupEnd) => void;
  readonly #accessPoint: AccessPoint;
  readonly #names: DnsResponder;
  readonly #udp: UdpSocket;
  readonly #http: HttpServer;
  readonly #joinsBefore: number;
  readonly #closesAtMs: number;
  #timer: TimerHandle | undefined;
  #found: Found = { networks: [], hasMore: false };
  #isLooking = false;
  /** Answers the form whose network is being joined. */
  #answer: ((state: SetupPageState) => void) | undefined;
  #failure: WifiStatus["last_error"];
  /** Name of the network that was joined. */
  #joined: string | undefined;

  /** @throws {Error} if the radio or a port cannot be had; nothing stays open then */
  constructor(options: SetupOptions, end: (end: SetupEnd) => void) {
    const { AccessPoint, Udp, tcp, api, sandbox, codec, memory, heap, random, timer, clock, log, name } =
      options;
    const { httpPort = HTTP_PORT, dnsPort = DNS_PORT, limitS, wifi } = options;
    this.#options = options;
    this.#end = end;
    this.#password = randomText(random);
    this.#key = randomText(random);
    this.#joinsBefore = wifi.joins;
    const opened: { close(): void }[] = [];
    const keep = <Resource extends { close(): void }>(resource: Resource): Resource => {
      opened.push(resource);
      return resource;
    };
    try {
      const onChanged = () => options.onChange();
      this.#accessPoint = keep(
        new AccessPoint({ ssid: name, password: this.#password, clientLimit: CLIENT_LIMIT, onChanged }),
      );
      const { address } = this.#accessPoint;
      this.#names = keep(new DnsResponder(sandbox, parseIpv4(address) as Uint8Array));
      this.#udp = keep(new Udp({ port: dnsPort, address, onReadable: (count) => this.#answerNames(count) }));
      const guard = new Portal(this);
      this.#http = keep(
        new HttpServer({
          tcp,
          api,
          guard,
          timer,
          clock,
          codec,
          memory,
          heap,
          log,
          port: httpPort,
          address,
          // A board takes packets for any of its addresses from any network.
          isClosedAt: (_, remote) => !remote?.startsWith(this.#accessPoint.clientPrefix),
        }),
      );
      const { port } = this.#http;
      this.authority = port === HTTP_PORT ? address : `${address}:${port}`;
    } catch (error) {
      log.error(`the set-up access point cannot be opened: ${error}`);
      for (const resource of opened.reverse()) resource.close();
      throw error;
    }
    this.#closesAtMs = clock.uptimeMs() + limitS * 1000;
    this.#timer = timer.set(() => end("timeout"), limitS * 1000);
    log.info(`the set-up access point "${name}" is open on ${this.authority} for ${limitS} s`);
  }

  get address(): string {
    return this.#accessPoint.address;
  }

  get httpPort(): number {
    return this.#http.port;
  }

  status(): SetupStatus {
    const { name, clock, dnsPort = DNS_PORT } = this.#options;
    const { phase } = this.view().state;
    return {
      state: phase === "joining" || phase === "joined" ? phase : "open",
      ssid: name,
      password: this.#password,
      clients: this.#accessPoint.clientCount,
      client_limit: CLIENT_LIMIT,
      page: `http://${this.authority}/`,
      dns_port: this.#udp.port ?? dnsPort,
      closes_in_ms: Math.max(0, this.#closesAtMs - clock.uptimeMs()),
      ...(this.#failure && { last_error: this.#failure }),
    };
  }

  /** Starts the work of the radio, which may call back. */
  begin(): void {
    this.#options.wifi.holdsRetries = true;
    this.#lookAlone();
  }

  view(): SetupView {
    return { name: this.#options.name, key: this.#key, ...this.#found, state: this.#pageState() };
  }

  #pageState(): SetupPageState {
    const { state, ssid = "" } = this.#options.wifi.status();
    if (this.#joined !== undefined) return { phase: "joined", ssid: this.#joined };
    if (state === "joining") return { phase: "joining", ssid };
    if (this.#isLooking) return { phase: "looking" };
    if (!this.#failure) return { phase: "choosing" };
    return { phase: "choosing", ssid, problem: `“${ssid}” was not joined. ${this.#failure.message}.` };
  }

  join({ ssid, password }: SetupForm): SetupPageState | Promise<SetupPageState> {
    const { wifi } = this.#options;
    if (this.#answer || this.#joined !== undefined) return this.#pageState();
    wifi.provision(ssid, password);
    this.#failure = wifi.status().last_error;
    if (wifi.status().state !== "joining") return this.#pageState();
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  async look(): Promise<void> {
    const { wifi } = this.#options;
    if (this.#isLooking || wifi.status().state === "joining") return;
    this.#isLooking = true;
    try {
      this.#found = await wifi.scan();
    } catch (error) {
      if (!(error instanceof Fault)) throw error; // else a scan over the cable is in progress: there is a button for another
    } finally {
      this.#isLooking = false;
    }
  }

  wifiChanged(): void {
    const { wifi } = this.#options;
    const { state, ssid = "", last_error } = wifi.status();
    if (this.#joined !== undefined || state === "joining") return;
    if (wifi.joins !== this.#joinsBefore) this.#close(ssid);
    else this.#failure = last_error;
    this.#answer?.(this.#pageState());
    this.#answer = undefined;
    // A join that was in progress at the opening has kept the radio until now.
    if (this.#joined === undefined && this.#found.networks.length === 0) this.#lookAlone();
  }

  /** Looks for networks without a request that waits for it. */
  #lookAlone(): void {
    this.look().catch((error) => this.#options.log.error(`cannot look for networks: ${error}`));
  }

  /** The console has joined `ssid`: ends once the phone has had time to read that. */
  #close(ssid: string): void {
    const { timer } = this.#options;
    this.#joined = ssid;
    timer.clear(this.#timer);
    this.#timer = timer.set(() => this.#end("joined"), CLOSE_AFTER_MS);
  }

  /** Closes everything. To be called once. */
  close(): void {
    this.#options.timer.clear(this.#timer);
    this.#answer = undefined;
    this.#http.close();
    this.#udp.close();
    this.#names.close();
    this.#accessPoint.close();
    this.#options.wifi.holdsRetries = false;
  }

  /** Answers queries of clients; drops what is none, and what there is no memory for: a resolver asks again. */
  #answerNames(queries: number): void {
    const { heap, log } = this.#options;
    for (let count = 0; count < queries; count++) {
      const query = this.#udp.read();
      if (query === undefined) return;
      if (!query.address.startsWith(this.#accessPoint.clientPrefix)) continue;
      if (!heap.hasRoom(HEAP_NEEDS.datagram)) continue;
      try {
        const answer = this.#names.answer(new Uint8Array(query));
        if (answer) this.#udp.write(answer, query.address, query.port);
      } catch (error) {
        log.error(`a query was dropped: ${error}`); // a fault of the reader's program must not end the console
      }
    }
  }
}

// Endpoints of `/api/wifi/setup`, for the owner only: the answer contains the password.

interface Needed {
  readonly setup: SetupService | undefined;
}

/** @throws {Fault} `not_implemented` */
export function showSetup(services: Needed): JsonAnswer {
  return { status: 200, body: setupOf(services).status() };
}

/** @throws {Fault} `not_implemented`, `wifi_busy`, `busy` */
export function changeSetup(services: Needed, { parameters }: Call): JsonAnswer {
  const setup = setupOf(services);
  if (parameters.flag("open")) setup.open();
  else setup.close();
  return showSetup(services);
}

function setupOf({ setup }: Needed): SetupService {
  if (setup) return setup;
  throw new Fault("not_implemented", "This console has no set-up access point");
}
