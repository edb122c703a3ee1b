/** A link over transports to a console that the test connects and disconnects. */
import { beforeEach, describe, expect, test } from "vitest";
import { DeviceError } from "../../../device-client/device-error.js";
import { DeviceLink } from "../../../device-client/device-link.js";
import {
  HEARTBEAT_INTERVAL_MS,
  RETRY_FIRST_MS,
  RETRY_LAST_MS,
  SILENCE_MS,
} from "../../../device-client/limits.js";
import type { DeviceAnswer, DeviceRequest, Transport } from "../../../device-client/transport.js";
import { EmulatedClock } from "../../hosts/emulated-clock.js";

/** A console at the other end, as far as a link knows it. */
class Peer {
  mac = "02:00:00:00:1A:2B";
  bootedAtMs = 0;
  /** What everything is answered with instead. */
  refusal: DeviceAnswer | undefined;
  /** What asking and opening throw. */
  trouble: DeviceError | undefined;
  /** What every answer waits for. */
  stillness: Promise<void> | undefined;
  /** What every request waits for before it is sent. */
  queue: Promise<void> | undefined;
  log: string[] = [];
  readonly transports: FakeTransport[] = [];
  attempts = 0;
  readonly clock: EmulatedClock;

  constructor(clock: EmulatedClock) {
    this.clock = clock;
  }

  readonly open = async (): Promise<Transport> => {
    this.attempts++;
    if (this.trouble) throw this.trouble;
    const transport = new FakeTransport(this);
    this.transports.push(transport);
    return transport;
  };

  restart(): void {
    this.bootedAtMs = this.clock.uptimeMs();
  }

  get openTransports(): number {
    return this.transports.filter(({ isClosed }) => !isClosed).length;
  }
}

class FakeTransport implements Transport {
  readonly kind = "usb";
  readonly isOwner = true;
  readonly address = "usb:/dev/scripted";
  readonly closed: Promise<Error | undefined>;
  readonly #peer: Peer;
  lose: (error?: Error) => void = () => {};
  tellStatus: (status: unknown) => void = () => {};
  tellLine: (line: string) => void = () => {};
  isClosed = false;

  constructor(peer: Peer) {
    this.#peer = peer;
    this.closed = new Promise((resolve) => {
      this.lose = resolve;
    });
  }

  async request({ path, onSent }: DeviceRequest): Promise<DeviceAnswer> {
    if (this.#peer.queue) {
      await this.#peer.queue;
      onSent?.();
    }
    const { trouble, refusal, mac, clock, bootedAtMs } = this.#peer;
    await this.#peer.stillness;
    if (trouble) throw trouble;
    if (refusal) return refusal;
    if (path === "/api/system") return { status: 200, body: { name: `Console ${mac.slice(-2)}`, mac } };
    return { status: 200, body: { fw_version: "1.0", uptime_ms: clock.uptimeMs() - bootedAtMs } };
  }

  upload(): never {
    throw new Error("A link sends no files");
  }

  media(): never {
    throw new Error("A link looks at no screen");
  }

  followLog(onLine: (line: string) => void): () => void {
    this.tellLine = onLine;
    Promise.resolve().then(() => this.#peer.log.forEach(onLine));
    return () => {
      this.tellLine = () => {};
    };
  }

  onStatus(listener: (status: unknown) => void): () => void {
    this.tellStatus = listener;
    return () => {
      this.tellStatus = () => {};
    };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.lose();
  }
}

let clock: EmulatedClock;
let peer: Peer;
let link: DeviceLink;
let states: string[];
let statuses: unknown[];
let lines: string[];
let answering: boolean[];
beforeEach(() => {
  clock = new EmulatedClock(1000);
  peer = new Peer(clock);
  [states, statuses, lines, answering] = [[], [], [], []];
  link = new DeviceLink({
    open: peer.open,
    clock,
    onState: ({ phase, ...rest }) =>
      states.push("error" in rest && rest.error ? `${phase} ${rest.error.code}` : phase),
    onStatus: (status) => statuses.push(status),
    onLine: (line) => lines.push(line),
    onAnswering: (isAnswering) => answering.push(isAnswering),
  });
});

const turn = () => clock.pass(0);
const unplugged = new DeviceError("device_lost", "Unplugged");
const gone = new DeviceError("device_not_found", "There is no such port");

/** The connection is lost, and the console out of reach. */
async function unplug(): Promise<void> {
  peer.trouble = gone;
  peer.transports.at(-1)?.lose(unplugged);
  await turn();
}

describe("a link that starts", () => {
  test("is ready once a console has identified itself", async () => {
    expect(link.state).toEqual({ phase: "connecting" });
    await link.start();
    expect(link.state).toMatchObject({ phase: "ready", system: { mac: peer.mac }, device: {} });
    expect(states).toEqual(["ready"]);
  });

  test("ends if the first attempt fails, and closes the transport", async () => {
    peer.refusal = { status: 200, body: {} };
    await expect(link.start()).rejects.toMatchObject({ code: "not_a_console" });
    await clock.pass(60_000);
    expect([states, peer.attempts, peer.openTransports, clock.timerCount]).toEqual([
      ["ended not_a_console"],
      1,
      0,
      0,
    ]);
  });

  test("ends if no transport can be opened", async () => {
    peer.trouble = gone;
    await expect(link.start()).rejects.toBe(gone);
    expect(link.state).toEqual({ phase: "ended", error: gone });
    expect(await link.ended).toBe(gone);
  });

  test("starts once, however often start is called", async () => {
    await Promise.all([link.start(), link.start()]);
    expect(peer.attempts).toBe(1);
  });

  test("rejects with cancelled when closed meanwhile, and leaves nothing open", async () => {
    const started = link.start().catch(({ code }) => code);
    await link.close();
    expect([await started, peer.openTransports, states]).toEqual(["cancelled", 0, []]);
  });
});

describe("a link that was ready", () => {
  beforeEach(() => link.start());

  test("reports the status at once, every two seconds, and on each event of the console", async () => {
    await clock.pass(2 * HEARTBEAT_INTERVAL_MS);
    expect(statuses.map((status) => Object(status).uptime_ms)).toEqual([1000, 3000, 5000]);
    peer.transports[0]?.tellStatus("told");
    expect(statuses.at(-1)).toBe("told");
  });

  test("reports when an answer takes three seconds, and when it arrives", async () => {
    let goOn = () => {};
    await clock.pass(HEARTBEAT_INTERVAL_MS);
    peer.stillness = new Promise((resolve) => {
      goOn = resolve;
    });
    await clock.pass(HEARTBEAT_INTERVAL_MS + SILENCE_MS - 1);
    expect(answering).toEqual([]);
    await clock.pass(1);
    expect([answering, link.state.phase]).toEqual([[false], "ready"]);
    goOn();
    await turn();
    expect(answering).toEqual([false, true]);
  });

  test("waits once the connection is lost, and is ready again once it is back", async () => {
    await unplug();
    expect(link.state).toMatchObject({ phase: "waiting", error: unplugged, system: { mac: peer.mac } });
    await clock.pass(RETRY_FIRST_MS);
    expect(link.state).toMatchObject({ phase: "waiting", error: gone });
    peer.trouble = undefined;
    await clock.pass(RETRY_LAST_MS);
    expect(states).toEqual(["ready", "waiting device_lost", "waiting device_not_found", "ready"]);
  });

  test("retries for ever, first soon and then every three seconds", async () => {
    await unplug();
    const attemptsAt: number[] = [];
    const lostAtMs = clock.uptimeMs();
    for (let before = peer.attempts; attemptsAt.length < 8; before = peer.attempts) {
      await clock.pass(clock.untilNextMs ?? 0);
      await turn();
      if (peer.attempts > before) attemptsAt.push(clock.uptimeMs() - lostAtMs);
    }
    expect(attemptsAt).toEqual([250, 750, 1750, 3750, 6750, 9750, 12_750, 15_750]);
  });

  test("retries at once on retryNow, which does nothing while ready", async () => {
    await unplug();
    await clock.pass(10_000);
    peer.trouble = undefined;
    link.retryNow();
    await turn();
    expect(link.state.phase).toBe("ready");
    const { attempts } = peer;
    link.retryNow();
    await turn();
    expect(peer.attempts).toBe(attempts);
  });

  test("waits when a heartbeat times out", async () => {
    await turn();
    peer.trouble = new DeviceError("device_timeout", "Silence");
    await clock.pass(HEARTBEAT_INTERVAL_MS);
    expect(states).toEqual(["ready", "waiting device_timeout"]);
    expect(peer.openTransports).toBe(0);
  });

  test("stays ready when a heartbeat is refused", async () => {
    await turn();
    peer.refusal = { status: 503, body: { error: "busy", message: "Too many connections" } };
    await clock.pass(HEARTBEAT_INTERVAL_MS);
    peer.refusal = undefined;
    await clock.pass(HEARTBEAT_INTERVAL_MS);
    expect([states, statuses.length]).toEqual([["ready"], 2]);
  });

  test("ends when its token is rejected", async () => {
    peer.refusal = { status: 401, body: { error: "unauthorized", message: "No" } };
    await clock.pass(60_000);
    expect([states, peer.attempts, peer.openTransports]).toEqual([["ready", "ended unauthorized"], 1, 0]);
    expect(await link.ended).toMatchObject({ code: "unauthorized", message: "No" });
  });

  test("counts as lost when the console restarts before the first heartbeat", async () => {
    peer.bootedAtMs = clock.uptimeMs(); // which it sends at once
    await turn();
    expect(states).toEqual(["ready", "waiting device_lost"]);
  });

  for (const restartAfterMs of [1, 1500])
    test(`reconnects when the console has restarted after ${restartAfterMs} ms without a lost connection`, async () => {
      await clock.pass(restartAfterMs);
      peer.restart();
      await clock.pass(HEARTBEAT_INTERVAL_MS - restartAfterMs);
      expect(states).toEqual(["ready", "waiting device_lost"]);
      await clock.pass(RETRY_FIRST_MS);
      expect([states.at(-1), peer.transports.length, peer.openTransports]).toEqual(["ready", 2, 1]);
    });

  test("reconnects when the heartbeat has queued for as long as the console ran before its restart", async () => {
    let send = () => {};
    peer.queue = new Promise((resolve) => {
      send = resolve;
    });
    peer.restart();
    await clock.pass(HEARTBEAT_INTERVAL_MS + 1100); // behind a request that the restart has swallowed
    send();
    await turn();
    expect(states).toEqual(["ready", "waiting device_lost"]);
  });

  test("waits for the console that it was ready with, and names another one in its place", async () => {
    await unplug();
    peer.trouble = undefined;
    peer.mac = "02:00:00:00:FF:FF";
    await clock.pass(10_000);
    expect(link.state).toMatchObject({
      phase: "waiting",
      error: { code: "not_a_console" },
      other: { mac: peer.mac },
    });
    expect(Object(link.state).error.message).toBe(
      '"Console FF" is now where "Console 2B" was, and is another console',
    );
    expect(peer.openTransports).toBe(0);
    peer.trouble = new DeviceError("device_unreachable", "No answer");
    await clock.pass(RETRY_LAST_MS);
    expect(link.state).not.toHaveProperty("other");
    peer.trouble = undefined;
    peer.mac = "02:00:00:00:1A:2B";
    await clock.pass(RETRY_LAST_MS);
    expect(link.state.phase).toBe("ready");
  });

  test("shows each line of the log once over all losses", async () => {
    peer.log = ["a", "b"];
    await unplug();
    peer.trouble = undefined;
    await clock.pass(RETRY_FIRST_MS);
    peer.transports.at(-1)?.tellLine("c");
    peer.log = ["b", "c", "d"];
    await unplug();
    peer.trouble = undefined;
    await clock.pass(RETRY_FIRST_MS);
    expect(lines).toEqual(["a", "b", "c", "d"]);
  });

  test("makes no callback after close, and leaves no timer or transport", async () => {
    await clock.pass(10);
    const before = [states.length, statuses.length];
    const transport = peer.transports[0];
    const closing = link.close();
    transport?.tellStatus({});
    transport?.tellLine("late");
    await closing;
    await link.close();
    await clock.pass(60_000);
    expect([states.length, statuses.length]).toEqual(before);
    expect([link.state, peer.openTransports, clock.timerCount]).toEqual([{ phase: "ended" }, 0, 0]);
    expect(await link.ended).toBeUndefined();
    expect(lines).toEqual([]);
  });

  test("stops retrying when closed while waiting", async () => {
    await unplug();
    const { attempts } = peer;
    await link.close();
    await clock.pass(60_000);
    expect([peer.attempts, clock.timerCount]).toEqual([attempts, 0]);
  });
});
