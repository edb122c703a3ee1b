/** Uses the calls of mdns-js on XS, over the machine's loopback interface; a line of JSON for each thing seen. */
import Udp from "embedded:io/socket/udp";
import random from "svc/random";
import sandbox from "svc/sandbox";
import clock from "svc/system";
import timer from "timer";
import { type MdnsJs, mdnsJs } from "../../../device/mdns-js/mdns-js.js";
import { Mdns } from "../../../device/services/mdns/mdns.js";
import { hexOf } from "../../contracts/assert.js";
import { type ServiceTypeCalls, serviceTypeLines } from "../../contracts/service-types.js";

/** A goodbye is reported a second later. */
const PATIENCE_MS = 10_000;

const say = (name: string, value: unknown) => trace(`${JSON.stringify({ name, value })}\n`);

function logger() {
  const error = (text: string) => say("log", text);
  return { debug() {}, info() {}, warning: error, error };
}

/** The name differs from those of other tests on the machine. */
function uniqueName(): string {
  const bytes = new Uint8Array(4);
  random.getRandomValues(bytes);
  return `Test-${hexOf(bytes)}`;
}

/** Advertises a service, finds it, withdraws it, and hears it go. */
function browse({ createBrowser, createAdvertisement, tcp }: MdnsJs, onGone: () => void): void {
  const name = uniqueName();
  const isOwn = (fullname: string) => fullname.startsWith(name);
  const service = createAdvertisement(tcp("mdns-js-test"), 9876, { name, txt: { txtvers: "1" } });
  service.start();
  const browser = createBrowser(tcp("mdns-js-test"));
  browser.once("ready", () => browser.discover());
  browser.once("ready", () => say("ready", browser.listenerCount("ready")));
  browser.on("update", ({ fullname, ...data }) => {
    if (!isOwn(fullname)) return;
    say("update", { ...data, host: data.host === `${name}.local`, type: String(data.type) });
    service.stop(() => say("stopped", service.alias));
  });
  browser.on("down", ({ fullname }) => {
    if (!isOwn(fullname)) return;
    browser.stop();
    say("down", fullname === `${name}._mdns-js-test._tcp.local`);
    onGone();
  });
}

export default function main(): void {
  const network = { address: "127.0.0.1", rssi: 0 };
  const mdns = new Mdns({ sandbox, Udp, timer, clock, random, network, log: logger() });
  const calls = mdnsJs(mdns);
  for (const line of serviceTypeLines(calls as unknown as ServiceTypeCalls)) say("type", line);
  const end = () => {
    mdns.close();
    trace("done\n");
  };
  const patience = timer.set(end, PATIENCE_MS);
  browse(calls, () => {
    timer.clear(patience);
    end();
  });
}
