/**
 * A program that advertises a console from Node, for tests that need it in a network of its own, and looks
 * for others: `node node-console.js ADDRESS NAME`. It prints a line of JSON once it runs, and one for every
 * event of its browser. SIGTERM ends it with a goodbye.
 */
import { webcrypto } from "node:crypto";
import type { TimerHandle } from "../../../device/ports/timer.js";
import { Mdns } from "../../../device/services/mdns/mdns.js";
import { tcp } from "../../../device/services/mdns/service-type.js";
import { NodeUdp } from "../../hosts/node-udp.js";

const [address = "127.0.0.1", name = "Console-1A2B"] = process.argv.slice(2);

const log = (message: string): void => void process.stderr.write(`${message}\n`);
const mdns = new Mdns({
  Udp: NodeUdp,
  timer: {
    set: (callback, milliseconds) => setTimeout(callback, milliseconds),
    repeat: (callback, milliseconds) => setInterval(callback, milliseconds),
    clear: (timer: TimerHandle | undefined) => clearTimeout(timer as NodeJS.Timeout | undefined),
  },
  clock: { uptimeMs: () => performance.now() },
  random: webcrypto,
  log: { debug: log, info: log, warning: log, error: log },
  network: { address, rssi: 0 },
});

mdns.createAdvertisement(tcp("svc"), 8080, { name, txt: { fw: "0.1.0", api: "v1" } }).start();
const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const browser = mdns.createBrowser(tcp("svc"));
browser.on("ready", () => browser.discover());
browser.on("update", (data) => tell({ event: "update", ...data }));
browser.on("down", (data) => tell({ event: "down", ...data }));

process.once("SIGTERM", () => mdns.close());
tell({ ready: true, name });
