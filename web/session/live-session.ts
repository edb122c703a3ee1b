/** The session of the page: at most one link to one console, and the state of that console. */
import { batch, computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Device } from "../../device-client/device.js";
import { DeviceError, deviceErrorOf } from "../../device-client/device-error.js";
import { DeviceLink } from "../../device-client/device-link.js";
import { consoleOrigin, HttpTransport } from "../../device-client/http-transport.js";
import type { LinkState } from "../../device-client/link-state.js";
import type { Transport } from "../../device-client/transport.js";
import { UsbTransport } from "../../device-client/usb-transport.js";
import type { DeviceStatus } from "../../protocol/device/answers.js";
import { BrowserHttp } from "../connection/browser-http.js";
import { SerialPorts } from "../connection/serial-ports.js";
import { LogBuffer } from "./log-buffer.js";
import { AwayNotice, failureNotice, NoticeBoard } from "./notices.js";
import { Refresher } from "./refresher.js";
import type { Notice, Session, SessionState } from "./session.js";
import { RememberedConsoles } from "./stored.js";
import { type Occupation, WatchedTransport } from "./watched-transport.js";

/** Poll interval over HTTP, where the console sends no events. */
const REFRESH_MS = 5000;

const IDLE: Occupation = Object.freeze({ isUploading: false, isWorking: false });
const WAIT = "Try again once the header says that it is connected.";

/** Opens a transport to a console, again after each loss. */
interface Way {
  readonly open: () => Promise<Transport>;
  /** Called with each state of the link. */
  readonly follow?: (state: LinkState) => void;
}

export class LiveSession implements Session {
  readonly #state = signal<SessionState>({ phase: "idle" });
  readonly #mac = signal<string | undefined>(undefined);
  readonly #status = signal<DeviceStatus | undefined>(undefined);
  readonly #occupation = signal<Occupation>(IDLE);
  readonly #isSilent = signal(false);
  readonly #lastAddress = signal<string | undefined>(undefined);
  readonly #notices = new NoticeBoard();
  readonly #absence = new AwayNotice(this.#notices);
  readonly #log = new LogBuffer();
  readonly #remembered = new RememberedConsoles();
  readonly #serial: SerialPorts;
  readonly #refresher = new Refresher(() => this.device.peek());
  readonly #http = new BrowserHttp();
  #link: DeviceLink | undefined;

  readonly device: ReadonlySignal<Device | undefined> = computed(() => {
    const state = this.#state.value;
    return state.phase === "ready" ? state.device : undefined;
  });

  readonly isUploading: ReadonlySignal<boolean> = computed(() => this.#occupation.value.isUploading);

  readonly isAnswering: ReadonlySignal<boolean> = computed(() => {
    const { isUploading, isWorking } = this.#occupation.value;
    return isUploading || isWorking || !this.#isSilent.value;
  });

  constructor() {
    this.#serial = new SerialPorts({ onPlugged: () => this.retryNow() });
    setInterval(() => this.#refreshOverHttp(), REFRESH_MS);
    // Timers of hidden pages are slow: reconnect as soon as the user returns to the page.
    document.addEventListener("visibilitychange", () => this.retryNow());
    effect(() => this.#absence.follow(this.#state.value, () => this.#state.peek()));
  }

  get state(): ReadonlySignal<SessionState> {
    return this.#state;
  }

  get mac(): ReadonlySignal<string | undefined> {
    return this.#mac;
  }

  get status(): ReadonlySignal<DeviceStatus | undefined> {
    return this.#status;
  }

  get apps(): Session["apps"] {
    return this.#refresher.apps;
  }

  get ota(): Session["ota"] {
    return this.#refresher.ota;
  }

  get log(): Session["log"] {
    return this.#log.lines;
  }

  get logStart(): ReadonlySignal<number> {
    return this.#log.start;
  }

  get ports(): Session["ports"] {
    return this.#serial.names;
  }

  get lastAddress(): ReadonlySignal<string | undefined> {
    return this.#lastAddress;
  }

  get remembered(): Session["remembered"] {
    return this.#remembered.list;
  }

  get notices(): Session["notices"] {
    return this.#notices.notices;
  }

  // Fields instead of methods, so that components can destructure them.
  readonly notify = (notice: Omit<Notice, "id">): void => {
    this.#notices.notify(notice);
  };

  readonly dismiss = (id: number): void => this.#notices.dismiss(id);

  readonly forget = (address: string): void => this.#remembered.forget(address);

  readonly connectUsb = (): Promise<void> =>
    this.#connect(async () => this.#wayByCable(await this.#serial.choose()), silentPort);

  readonly reconnectUsb = (index: number): Promise<void> =>
    this.#connect(async () => this.#wayByCable(this.#serial.at(index)), silentPort);

  readonly connectHttp = async (text: string, givenToken?: string): Promise<void> => {
    await this.#connect(async () => {
      const address = consoleOrigin(text);
      const token = givenToken || this.#remembered.tokenOf(address);
      this.#lastAddress.value = address;
      return { open: async () => new HttpTransport({ address, token, port: this.#http }) };
    });
    this.#remember(givenToken);
  };

  tokenOf(address: string): string | undefined {
    return this.#remembered.tokenOf(address);
  }

  /**
   * Shows the state "connecting" while the page checks whether a console served it.
   * @returns a function that returns whether the state is unchanged: no connect or disconnect has happened since
   */
  expect(): () => boolean {
    const expecting: SessionState = { phase: "connecting" };
    this.#state.value = expecting;
    return () => this.#state.peek() === expecting;
  }

  /** Shows a failed attempt to connect, without making one. */
  askFor(address: string, error: DeviceError): void {
    this.#lastAddress.value = address;
    this.#state.value = { phase: "idle", error };
  }

  readonly disconnect = async (): Promise<void> => {
    const link = this.#link;
    this.#link = undefined;
    batch(() => {
      this.#state.value = { phase: "idle" };
      this.#status.value = undefined;
      this.#occupation.value = IDLE;
      this.#isSilent.value = false;
      this.#refresher.clear();
    });
    await link?.close();
  };

  readonly retryNow = (): void => {
    if (this.#state.value.phase === "waiting") this.#link?.retryNow();
  };

  readonly run = async <Result>(
    what: string,
    work: (device: Device) => Promise<Result>,
  ): Promise<Result | undefined> => {
    try {
      return await this.attempt(work);
    } catch (error) {
      this.notify(failureNotice(what, error));
      return undefined;
    }
  };

  readonly attempt = async <Result>(work: (device: Device) => Promise<Result>): Promise<Result> => {
    try {
      return await work(this.#deviceThatAnswers());
    } finally {
      void this.#refresher.refresh();
    }
  };

  /** A console that does not answer would execute commands at an unexpected moment. */
  #deviceThatAnswers(): Device {
    const state = this.#state.peek();
    if (state.phase === "waiting")
      throw new DeviceError("device_lost", `${state.system.name} is away`, { advice: WAIT });
    if (state.phase !== "ready") throw new DeviceError("device_lost", "No console is connected");
    if (this.isAnswering.peek()) return state.device;
    throw new DeviceError("device_timeout", `${state.system.name} is not answering`, { advice: WAIT });
  }

  /** Whether the console takes this browser for its owner's. */
  get isPaired(): boolean {
    const state = this.#state.peek();
    return "system" in state && state.system.home_buttons !== false;
  }

  /** A console that asks for no token answers to a wrong one, too: that is not worth keeping. */
  #remember(givenToken: string | undefined): void {
    const state = this.#state.value;
    if (state.phase !== "ready" || state.device.transport.kind !== "http") return;
    const { address } = state.device.transport;
    const token = (this.isPaired && givenToken) || this.#remembered.tokenOf(address);
    this.#remembered.remember({ address, name: state.system.name, ...(token && { token }) });
  }

  #wayByCable(port: Parameters<SerialPorts["cableOf"]>[0]): Way {
    const cable = this.#serial.cableOf(port);
    return { open: async () => new UsbTransport(await cable.open()), follow: (state) => cable.follow(state) };
  }

  /**
   * @param prepare steps that can fail before opening, such as the choice of a port
   * @param explain adds information to an error
   */
  async #connect(prepare: () => Promise<Way>, explain = (error: DeviceError) => error): Promise<void> {
    try {
      const way = await prepare();
      await this.disconnect();
      this.#log.clear();
      await this.#startLink(way);
    } catch (error) {
      this.#showFailure(
        explain(deviceErrorOf(error, "device_unreachable", "The console could not be reached")),
      );
    }
  }

  /** Stays silent if the user ended the session or started another attempt. */
  #showFailure(error: DeviceError): void {
    if (error.code === "cancelled") return;
    if (this.#link === undefined) this.#state.value = { phase: "idle", error };
    else this.notify(failureNotice("connect", error)); // the previous console stays connected
  }

  async #startLink(way: Way): Promise<void> {
    const link: DeviceLink = new DeviceLink({
      open: async () => this.#watched(await way.open()),
      onState: (state) => {
        way.follow?.(state);
        if (this.#link === link) this.#onState(state);
      },
      onStatus: (status) => {
        if (this.#link === link) this.#status.value = status;
      },
      onAnswering: (isAnswering) => {
        if (this.#link === link) this.#isSilent.value = !isAnswering;
      },
      onLine: (line) => this.#link === link && this.#log.add(line),
    });
    this.#link = link;
    this.#state.value = { phase: "connecting" };
    try {
      await link.start();
    } catch (error) {
      if (this.#link === link) this.#link = undefined;
      throw error;
    }
  }

  #watched(transport: Transport): Transport {
    transport.onStatus(() => void this.#refresher.refresh());
    return new WatchedTransport(transport, (occupation) => {
      this.#occupation.value = occupation;
    });
  }

  #onState(state: LinkState): void {
    batch(() => {
      this.#state.value = state.phase === "ended" ? { ...state, phase: "idle" } : state;
      if (state.phase === "ready") this.#mac.value = state.system.mac;
    });
    if (state.phase === "ready") void this.#refresher.refresh();
  }

  #refreshOverHttp(): void {
    if (document.visibilityState !== "visible" || this.isUploading.peek()) return;
    if (this.device.peek()?.transport.kind === "http") void this.#refresher.refresh();
  }
}

/** Most other devices do not answer unknown input, so a timeout means another device. */
function silentPort(error: DeviceError): DeviceError {
  if (error.code !== "device_timeout") return error;
  const advice =
    "Choose another port, if this is not the console’s; switch the console off and on, if it is.";
  return new DeviceError("not_a_console", "The device at this port is not a console", {
    cause: error,
    advice,
  });
}
