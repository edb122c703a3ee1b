/** Uses the calls of mdns-js on XS, over the machine's loopback interface; a line of JSON for each thing seen. */
import Udp from "embedded:io/socket/udp";
import random from "svc/random";
import sandbox from "svc/sandbox";
import clock from "svc/system";
import timer from "timer";
import { type MdnsJs, mdnsJs } from "../../../device/mdns-js/mdns-js.js";
import type { UdpOptions, Udp as UdpPort, UdpSocket } from "../../../device/ports/udp.js";
import { HeapAdmission } from "../../../device/services/heap/heap-admission.js";
import {
  ANSWER,
  DnsWriter,
  FLAGS_RESPONSE,
  MDNS_PORT,
  openDns,
  type Peer,
} from "../../../device/services/mdns/dns-message.js";
import { domainName, LABEL_LIMIT_BYTES } from "../../../device/services/mdns/domain-name.js";
import { Mdns } from "../../../device/services/mdns/mdns.js";
import {
  addressRecord,
  pointerRecord,
  serviceRecord,
  textData,
  textRecord,
} from "../../../device/services/mdns/resource-record.js";
import { hexOf } from "../../contracts/assert.js";
import { type ServiceTypeCalls, serviceTypeLines } from "../../contracts/service-types.js";

/** A goodbye is reported a second later. */
const PATIENCE_MS = 10_000;

const FLOOD_SERVICES = 100;
/** Strings of a text in the flood: as many as are reported. */
const STRINGS = 32;

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

/** A socket that receives what a test hands it. */
function scriptedUdp() {
  let options: UdpOptions | undefined;
  let next: (ArrayBuffer & Peer) | undefined;
  class ScriptedUdp implements UdpSocket {
    constructor(given: UdpOptions) {
      options = given;
    }
    read() {
      return next;
    }
    write(): void {}
    close(): void {}
  }
  const receive = (message: Uint8Array) => {
    next = Object.assign(message.slice().buffer as ArrayBuffer, { address: "10.0.0.9", port: MDNS_PORT });
    options?.onReadable(1);
  };
  return { Udp: ScriptedUdp as UdpPort, receive };
}

const FLOOD_TYPE = Object.freeze(["_flood", "_tcp", "local"]);

/** All records of a service with the longest labels and a long text, in one message. */
function largeService(writer: DnsWriter, index: number): Uint8Array {
  const label = `${index}`.padEnd(LABEL_LIMIT_BYTES, "x");
  const type = domainName(...FLOOD_TYPE);
  const instance = domainName(label, ...FLOOD_TYPE);
  const hostName = domainName(label, label, label, "local");
  const text: Record<string, string> = {};
  for (let at = 0; at < STRINGS; at++) text[`${at}`] = "y".repeat(20);
  writer.begin(0, FLAGS_RESPONSE);
  for (const record of [
    pointerRecord(type, instance),
    serviceRecord(instance, hostName, index),
    textRecord(instance, textData(text)),
    addressRecord(hostName, Uint8Array.of(10, 0, 0, index)),
  ])
    writer.record(ANSWER, record, { ttlSeconds: 4500, cacheFlush: false });
  return writer.message;
}

/** Sends a browser more large services than it remembers, and says what it takes of the heap. */
function flood(): void {
  const { Udp: Scripted, receive } = scriptedUdp();
  const network = { address: "10.0.0.1", rssi: 0 };
  const ports = { sandbox, timer, clock, random, network, log: logger(), heap: new HeapAdmission(clock) };
  const mdns = new Mdns({ ...ports, Udp: Scripted });
  const writer = new DnsWriter(openDns(sandbox));
  const beforeBytes = clock.liveHeapBytes();
  let updates = 0;
  const browser = mdnsJs(mdns).createBrowser("_flood._tcp");
  browser.on("update", () => updates++);
  for (let index = 0; index < FLOOD_SERVICES; index++) receive(largeService(writer, index));
  timer.set(() => {
    say("flood", { updates, takenBytes: clock.liveHeapBytes() - beforeBytes });
    browser.stop();
    mdns.close();
  }, 100);
}

export default function main(): void {
  flood();
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
