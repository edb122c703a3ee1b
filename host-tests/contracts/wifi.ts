/** Contract of every radio. Its host provides four access points: {@link CONTRACT_NETWORKS} and a hidden one. */
import type { Wifi, WifiConstructor, WifiFound } from "../../device/ports/wifi.js";
import { type ContractCase, equal, throws } from "./assert.js";

export interface WifiHost {
  readonly Wifi: WifiConstructor;
  pass(milliseconds: number): Promise<void>;
}

/** One access point of `open`, two of `secured`; beside them one that hides its name, and no other. */
export const CONTRACT_NETWORKS = Object.freeze({
  open: Object.freeze({ SSID: "Simulated open" }),
  secured: Object.freeze({ SSID: "Simulated", password: "simulated" }),
});
const { open, secured } = CONTRACT_NETWORKS;

/** Longer than any operation of a simulated host takes. */
const PATIENCE_ROUNDS = 500;
const ROUND_MS = 10;

/** A radio whose changes are counted and can be awaited. */
class Watched {
  readonly radio: Wifi;
  readonly #host: WifiHost;
  changes = 0;
  #seen = 0;

  constructor(host: WifiHost) {
    this.#host = host;
    this.radio = new host.Wifi({ onChanged: () => this.changes++ });
  }

  async change(): Promise<void> {
    await until(this.#host, () => this.changes > this.#seen);
    this.#seen++;
  }
}

async function until(host: WifiHost, isDone: () => boolean): Promise<void> {
  for (let round = 0; round < PATIENCE_ROUNDS && !isDone(); round++) await host.pass(ROUND_MS);
  equal(isDone(), true, "it came");
}

async function scan(host: WifiHost, radio: Wifi): Promise<WifiFound[]> {
  const found: WifiFound[] = [];
  let isComplete = false;
  const onComplete = () => {
    isComplete = true;
  };
  radio.scan({ onFound: (network) => found.push(network), onComplete });
  equal(found.length, 0, "found inside the call");
  await until(host, () => isComplete);
  return found;
}

/** A case with its own radio, closed when the case ends or fails. */
function withRadio(
  name: string,
  run: (watched: Watched, host: WifiHost) => Promise<void>,
): ContractCase<WifiHost> {
  return {
    name,
    async run(host) {
      const watched = new Watched(host);
      try {
        await run(watched, host);
      } finally {
        watched.radio.close();
      }
    },
  };
}

export const WIFI_CONTRACT: readonly ContractCase<WifiHost>[] = [
  withRadio("connect() joins an open and a secured network, and disconnect() leaves it", async (watched) => {
    const { radio } = watched;
    for (const network of [open, secured]) {
      radio.connect(network);
      equal(watched.changes, network === open ? 0 : 1, "changes inside the call");
      equal(radio.connection, 300, "while joining");
      await watched.change();
      equal(radio.connection, 500, "joined");
      equal(radio.failure, undefined, "failure");
      radio.disconnect();
      equal(radio.connection, 200, "left");
    }
  }),
  withRadio("failure names the reason of a failed join until the next attempt", async (watched) => {
    const { radio } = watched;
    const cases = [
      { network: { SSID: secured.SSID, password: "simulacrum" }, failure: "wrong_password" },
      { network: { SSID: secured.SSID }, failure: "wrong_password" },
      { network: { SSID: "Nothing" }, failure: "not_found" },
    ] as const;
    for (const { network, failure } of cases) {
      radio.connect(network);
      equal(radio.failure, undefined, "failure while joining");
      await watched.change();
      equal(radio.connection, 200, "connection");
      equal(radio.failure, failure, "failure");
    }
    radio.disconnect();
    equal(radio.failure, undefined, "failure after disconnect");
  }),
  withRadio(
    "a join that is cancelled reports nothing, and the next one succeeds",
    async (watched, { pass }) => {
      const { radio } = watched;
      radio.connect({ SSID: "Nothing" });
      radio.disconnect();
      radio.connect(open);
      await watched.change();
      equal(radio.connection, 500, "connection");
      await pass(300);
      equal(watched.changes, 1, "changes");
    },
  ),
  withRadio("scan() finds every access point, also while a network is joined", async (watched, host) => {
    const { radio } = watched;
    for (const isJoined of [false, true]) {
      if (isJoined) {
        radio.connect(open);
        await watched.change();
      }
      const found = await scan(host, radio);
      const points = (name: string) => found.filter(({ SSID }) => SSID === name);
      equal(points(open.SSID).length, 1, "access points of the open network");
      equal(points(secured.SSID).length, 2, "access points of the secured network");
      equal(points("").length, 1, "hidden ones");
      equal(points(open.SSID)[0]?.security, "none", "security of the open network");
      equal(points(secured.SSID)[0]?.security === "none", false, "the secured network is open");
      for (const { RSSI, channel } of found) equal(RSSI < 0 && channel > 0, true, `${RSSI} on ${channel}`);
    }
  }),
  withRadio(
    "connect() and scan() throw while the radio is busy, and a second radio cannot be opened",
    async ({ radio }, host) => {
      const options = { onFound() {}, onComplete() {} };
      radio.connect(open);
      throws(() => radio.connect(open), "joining while joining");
      throws(() => radio.scan(options), "scanning while joining");
      radio.disconnect();
      const scanned = scan(host, radio);
      throws(() => radio.scan(options), "scanning while scanning");
      throws(() => radio.connect(open), "joining while scanning");
      radio.disconnect();
      equal((await scanned).length > 0, true, "the scan went on");
      throws(() => new host.Wifi({ onChanged() {} }), "a second radio");
    },
  ),
  {
    name: "a closed radio calls no callback, and another can be opened",
    async run(host) {
      for (const begin of [
        (radio: Wifi) => radio.connect(open),
        (radio: Wifi) => radio.scan({ onFound: fail, onComplete: fail }),
      ]) {
        const radio = new host.Wifi({ onChanged: fail });
        begin(radio);
        radio.close();
        radio.close();
      }
      await host.pass(300);
      new host.Wifi({ onChanged() {} }).close();
    },
  },
];

function fail(): void {
  throw new Error("It was called");
}
