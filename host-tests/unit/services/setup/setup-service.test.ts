/**
 * The life of the set-up access point, over an emulated radio, network and clock (docs/spec/setup.md): times, failures and
 * memory. What a phone sees of it is tested on a console.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { AccessPoint, AccessPointOptions } from "../../../../device/ports/access-point.js";
import type { UdpOptions, UdpSocket } from "../../../../device/ports/udp.js";
import { HEAP_NEEDS, HeapAdmission } from "../../../../device/services/heap/heap-admission.js";
import { HttpCodec } from "../../../../device/services/http/http-codec.js";
import { Settings } from "../../../../device/services/settings/settings.js";
import { SetupService } from "../../../../device/services/setup/setup-service.js";
import { WifiService } from "../../../../device/services/wifi/wifi-service.js";
import { loadSandbox } from "../../../../tools/sandbox.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { EmulatedAir } from "../../../hosts/emulated-wifi.js";
import { EmulatedTcp } from "../http/emulated-tcp.js";
import { query, readMessage } from "../mdns/dns-messages.js";

const sandbox = await loadSandbox(["http-head", "dns"]);
const HOME = { SSID: "home", password: "correct horse" };
const LIMIT_S = 300;

/** Whatever is open of the console's: what is left when it should be closed. */
let open: Set<string>;
/** Makes a resource fail. */
let broken: string;
let clock: EmulatedClock;
let air: EmulatedAir;
let tcp: EmulatedTcp;
let freeBytes: number;
let randomByte: number;
let point: AccessPointOptions | undefined;
let clients: number;
let names: {
  readonly options: UdpOptions;
  readonly sent: unknown[][];
  queue: (ArrayBuffer & { address: string; port: number })[];
};
let wifi: WifiService;
let setup: SetupService;
let changes: number;

function acquire(name: string): void {
  if (broken === name) throw new Error(`${name} is broken`);
  open.add(name);
}

class EmulatedAccessPoint implements AccessPoint {
  readonly address = "192.168.4.1";
  readonly clientPrefix = "192.168.4.";
  constructor(options: AccessPointOptions) {
    acquire("access point");
    point = options;
  }
  get clientCount() {
    return clients;
  }
  close() {
    open.delete("access point");
  }
}

class EmulatedUdp implements UdpSocket {
  constructor(options: UdpOptions) {
    acquire("name server");
    names = { options, sent: [], queue: [] };
  }
  read() {
    return names.queue.shift();
  }
  write(...sent: unknown[]) {
    names.sent.push(sent);
  }
  close() {
    open.delete("name server");
  }
}

const random = {
  getRandomValues(into: Uint8Array) {
    for (let at = 0; at < into.length; at++) into[at] = randomByte++ & 0xff;
  },
};

beforeEach(() => {
  open = new Set();
  broken = "";
  clock = new EmulatedClock();
  air = new EmulatedAir(clock, [HOME, { SSID: "cafe" }]);
  tcp = new EmulatedTcp();
  freeBytes = 100_000;
  randomByte = 0;
  point = undefined;
  clients = 0;
  changes = 0;
  const logger = { debug() {}, info() {}, warning() {}, error() {} };
  const heap = new HeapAdmission({
    hasHeapRoom: (byteLength) => byteLength <= freeBytes,
    usedHeapBytes: () => 0,
    liveHeapBytes: () => 0,
  });
  wifi = new WifiService({
    Wifi: air.wifi(),
    network: air,
    timer: clock,
    random,
    logger,
    settings: new Settings(new EmulatedStorage().keyValue),
  });
  const Listener = class extends tcp.Listener {
    constructor(options: ConstructorParameters<typeof tcp.Listener>[0]) {
      acquire("web server");
      super(options);
    }
    override close() {
      open.delete("web server");
      super.close();
    }
  };
  setup = new SetupService({
    AccessPoint: EmulatedAccessPoint,
    Udp: EmulatedUdp,
    tcp: { Socket: tcp.Socket, Listener },
    api: { answerTo: () => ({ status: 500, body: {} }) },
    wifi,
    sandbox,
    heap,
    random,
    clock,
    codec: new HttpCodec(sandbox),
    memory: { allocate: (byteLength) => ({ bytes: new Uint8Array(byteLength), close() {} }) },
    timer: clock,
    log: logger,
    name: "Console-1A2B",
    limitS: LIMIT_S,
    onChange: () => changes++,
  });
  wifi.onChange(() => setup.wifiChanged());
});

const EVERYTHING = ["access point", "name server", "web server"];

describe("Opened,", () => {
  test("it has WPA2 for eight clients, and listeners on its own address and a board's ports", () => {
    setup.open();
    expect([...open]).toEqual(EVERYTHING);
    expect(point).toMatchObject({ ssid: "Console-1A2B", clientLimit: 8 });
    expect(point?.password).toMatch(/^[a-hjkmnp-z2-9]{12}$/);
    expect(names.options).toMatchObject({ port: 53, address: "192.168.4.1" });
    expect(setup.status()).toEqual({
      state: "open",
      ssid: "Console-1A2B",
      password: point?.password,
      clients: 0,
      client_limit: 8,
      page: "http://192.168.4.1/",
      dns_port: 53,
      closes_in_ms: LIMIT_S * 1000,
    });
    expect([setup.isAddress("192.168.4.1"), setup.isAddress("192.0.2.7"), setup.port]).toEqual([
      true,
      false,
      80,
    ]);
  });

  test("it tells of clients that come and go", () => {
    setup.open();
    const before = changes;
    clients = 3;
    point?.onChanged();
    expect([setup.status().clients, changes - before]).toEqual([3, 1]);
  });

  test("its name server answers its clients only", () => {
    setup.open();
    const asked = (address: string) =>
      Object.assign(new Uint8Array(query("example.org A")).buffer, { address, port: 4000 });
    names.queue = [asked("192.0.2.9"), asked("192.168.4.2")];
    names.options.onReadable(2);
    expect(names.sent.map(([, ...to]) => to)).toEqual([["192.168.4.2", 4000]]);
    expect(readMessage(names.sent[0]?.[0] as Uint8Array).answers).toEqual(["example.org A 192.168.4.1 1"]);
    freeBytes = 0;
    names.queue = [asked("192.168.4.2")];
    names.options.onReadable(1);
    expect(names.sent.length).toBe(1);
  });

  test("its page is for clients of its own network", () => {
    setup.open();
    const isTaken = (address: string) => {
      const peer = tcp.connect({ address });
      clock.advance(0);
      return !peer.isClosed;
    };
    expect([isTaken("192.168.4.2"), isTaken("192.0.2.9"), isTaken("192.168.40.2")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("the console does not try again by itself what it cannot join", () => {
    wifi.provision("home", "wrong password");
    clock.advance(100);
    setup.open();
    const before = air.attempts.length;
    clock.advance(60_000);
    expect(air.attempts.length).toBe(before);
    setup.close();
    expect(air.attempts.length).toBe(before + 1);
  });
});

describe("It is closed,", () => {
  const isClosed = (ended: string) => {
    expect([...open]).toEqual([]);
    expect(setup.status()).toEqual({ state: "closed", ended });
    expect([setup.port, setup.isAddress("192.168.4.1")]).toEqual([-1, false]);
  };

  test("less than a second after the console has joined", () => {
    setup.open();
    clock.advance(2000); // the scan
    wifi.provision("home", HOME.password);
    expect(setup.status().state).toBe("joining");
    clock.advance(100);
    expect([setup.status().state, wifi.status().state]).toEqual(["joined", "joined"]);
    clock.advance(399);
    expect([...open]).toEqual(EVERYTHING);
    clock.advance(1);
    isClosed("joined");
    expect(clock.timerCount).toBe(0);
  });

  test("also if the console was in a network before", () => {
    wifi.provision("cafe", "");
    clock.advance(100);
    setup.open();
    clock.advance(5000);
    expect(setup.status().state).toBe("open");
    wifi.provision("home", HOME.password);
    clock.advance(500);
    isClosed("joined");
  });

  test("when its time is over", () => {
    setup.open();
    clock.advance(LIMIT_S * 1000 - 1);
    expect(setup.status().closes_in_ms).toBe(1);
    clock.advance(1);
    isClosed("timeout");
  });

  test("by its user, twice, and leaves no timer behind", () => {
    setup.open();
    clock.advance(5000);
    setup.close();
    setup.close();
    isClosed("closed");
    expect(clock.timerCount).toBe(0);
  });
});

describe("It is not opened", () => {
  for (const name of EVERYTHING)
    test(`without its ${name}, and nothing stays open`, () => {
      broken = name;
      expect(() => setup.open()).toThrow(expect.objectContaining({ code: "wifi_busy" }));
      expect([...open]).toEqual([]);
      expect([setup.status(), clock.timerCount]).toEqual([{ state: "closed" }, 0]);
      broken = "";
      setup.open();
      expect([...open]).toEqual(EVERYTHING);
    });

  test("without memory", () => {
    freeBytes = HEAP_NEEDS.setup;
    expect(() => setup.open()).toThrow(expect.objectContaining({ code: "busy" }));
    expect(open.size).toBe(0);
  });
});
