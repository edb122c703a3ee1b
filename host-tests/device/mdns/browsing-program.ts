/**
 * A program for the simulator that looks for consoles, with the calls of mdns-js, and writes a line of JSON
 * for every event.
 */
import Udp from "embedded:io/socket/udp";
import network from "svc/network";
import random from "svc/random";
import system from "svc/system";
import timer from "timer";
import { Mdns } from "../../../device/services/mdns/mdns.js";
import { tcp } from "../../../device/services/mdns/service-type.js";

export default function main(): void {
  const log = (message: string): void => trace(`${message}\n`);
  const tell = (line: object): void => log(JSON.stringify(line));
  const logger = { debug: log, info: log, warning: log, error: log };
  const mdns = new Mdns({ Udp, timer, clock: system, random, network, log: logger });

  const browser = mdns.createBrowser(tcp("svc"));
  browser.on("ready", () => browser.discover());
  browser.on("update", (data) => tell({ event: "update", ...data }));
  browser.on("down", (data) => tell({ event: "down", ...data }));

  system.onShutdown(() => mdns.close());
  system.ready({ name: "Browser", httpPort: 0, wsPort: 0 });
}
