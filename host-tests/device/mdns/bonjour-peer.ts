/**
 * A program with bonjour-service: it looks for consoles and offers a service of the same type. Lines are
 * JSON: `{"event":"up"|"down", …}` with what it was told.
 */
import { Bonjour, type Service } from "bonjour-service";

const [address = "127.0.0.1", name = "Peer"] = process.argv.slice(2);
// What multicast-dns takes, and the types of bonjour-service leave out: the interface of the group, and to
// listen on every address, for on its own it would hear nothing that is sent to the group.
const bonjour = new Bonjour({ interface: address, bind: "0.0.0.0" } as object);

const tell = (event: string) => (service: Service) => {
  const { name: found, host, port, txt, addresses } = service;
  process.stdout.write(`${JSON.stringify({ event, name: found, host, port, txt, addresses })}\n`);
};

const browser = bonjour.find({ type: "svc" });
browser.on("up", tell("up"));
browser.on("down", tell("down"));
const offered = bonjour.publish({
  name,
  type: "svc",
  port: 7777,
  host: `${name}.local`,
  txt: { fw: "9.9.9" },
});
offered.on("up", () =>
  process.stdout.write(`${JSON.stringify({ event: "published", name: offered.name })}\n`),
);
offered.on("error", (error) =>
  process.stdout.write(`${JSON.stringify({ event: "error", error: String(error) })}\n`),
);
process.once("SIGTERM", () => bonjour.unpublishAll(() => bonjour.destroy(() => process.exit())));
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
