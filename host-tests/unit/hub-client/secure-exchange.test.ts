/** HTTP over TLS, with an engine without cryptography: a TLS close decides whether an answer is whole. */
import { expect, test } from "vitest";
import { HttpExchange } from "../../../hub-client/http-client.js";
import { parseWebAddress } from "../../../hub-client/web-address.js";
import { PlainTls, watchedTls } from "../../hosts/plain-tls.js";
import { octets, ScriptedNetwork } from "./client-ports.js";
import { Exchanged } from "./exchanged.js";

async function ask() {
  const { Tls, engines } = watchedTls();
  const network = new ScriptedNetwork({ Tls });
  const exchanged = new Exchanged();
  const to = parseWebAddress("https://hub.example/x");
  new HttpExchange(network.ports, { to, method: "GET", target: to.target, fields: {} }, exchanged);
  const socket = await network.connect();
  const server = new PlainTls({ serverName: "server" });
  /** Delivers each side's output to the other. */
  const deliver = () => {
    server.receive(Uint8Array.from(socket.sent.splice(0)));
    const bytes = new Uint8Array(server.takeable);
    server.take(bytes);
    if (bytes.length > 0) socket.arrive(bytes);
    network.clock.advance(0);
  };
  deliver();
  deliver();
  return { network, exchanged, socket, server, engines, deliver };
}

/** Everything that the server can read. */
function received(server: PlainTls): string {
  const bytes = new Uint8Array(server.readable);
  server.read(bytes);
  return Buffer.from(bytes).toString();
}

test("the certificate must be for the requested host, and the request is sent once it is checked", async () => {
  const { engines, server, deliver } = await ask();
  deliver();
  expect(engines.map(({ serverName }) => serverName)).toEqual(["hub.example"]);
  expect(received(server)).toMatch(/^GET \/x HTTP\/1\.1\r\nhost: hub\.example\r\n/);
});

for (const { name, end, outcome } of [
  {
    name: "whole if the server closed TLS",
    end: (server: PlainTls) => server.end(),
    outcome: '200 "hello" whole',
  },
  { name: "cut if it did not", end: () => {}, outcome: '200 "hello" hub_unreachable' },
])
  test(`a body that ends with its connection is ${name}`, async () => {
    const { exchanged, server, socket, deliver, network } = await ask();
    server.write(octets("HTTP/1.1 200 OK\r\n\r\nhello"));
    end(server);
    deliver();
    socket.end();
    network.clock.advance(0);
    expect([exchanged.outcome, network.clock.timerCount]).toEqual([outcome, 0]);
  });

test("an untrusted server is reported as such", async () => {
  const { exchanged, server, deliver } = await ask();
  server.refuse();
  deliver();
  expect(exchanged.end?.message).toBe('Cannot go on with "hub.example": refused');
});
