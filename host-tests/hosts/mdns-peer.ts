/** An mDNS peer that sends the largest messages of several kinds. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { query, writeMessage } from "../unit/services/mdns/dns-messages.js";

const MDNS_PORT = 5353;
const GROUP = "224.0.0.251";

const LONG_RECORDS = Array.from(
  { length: 100 },
  (_, index) => `host${index}.${"x".repeat(60)}.local A 10.0.0.${index} 120 flush`,
);

/** The largest message of each kind. */
export const MDNS_MESSAGES = [
  { what: "a query", bytes: query("_svc._tcp.local PTR", "_services._dns-sd._udp.local PTR") },
  { what: "300 questions", bytes: query(...Array.from({ length: 300 }, () => "_svc._tcp.local PTR QU")) },
  { what: "answers of others", bytes: writeMessage({ isResponse: true, answers: LONG_RECORDS }) },
  {
    what: "known answers",
    bytes: writeMessage({ questions: ["_svc._tcp.local PTR"], answers: LONG_RECORDS }),
  },
  { what: "noise", bytes: new Uint8Array(9000) },
];

/** Sends on the loopback interface from its own port, to which answers are addressed. */
export class MdnsPeer {
  readonly #socket: Socket;

  static async open(): Promise<MdnsPeer> {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    socket.setMulticastInterface("127.0.0.1");
    return new MdnsPeer(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  send(bytes: Uint8Array): void {
    this.#socket.send(bytes, MDNS_PORT, GROUP);
  }

  close(): void {
    this.#socket.close();
  }
}
