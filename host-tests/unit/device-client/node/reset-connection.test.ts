/** A request that is cut off does not arrive whole at a slow server. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request as requestHttp } from "node:http";
import { createServer as createSecureServer, request as requestHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ResettableHttpsAgent, resetConnection } from "../../../../device-client/node/http-port.js";
import { CertificateMaker } from "../../../hosts/certificates.js";

/** More than a server's system takes that reads nothing, and less than both systems do. */
const SENT_BYTES = 800_000;

/** What comes once it is read: how much, and whether that was all of it. */
class Received {
  readonly #incoming: IncomingMessage;
  readonly #ended: Promise<unknown>;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.#ended = new Promise((resolve) => {
      for (const event of ["error", "end", "close"]) incoming.on(event, resolve);
    });
  }

  async read(): Promise<{ byteLength: number; isWhole: boolean }> {
    let byteLength = 0;
    this.#incoming.on("data", (bytes) => (byteLength += bytes.length));
    await this.#ended;
    return { byteLength, isWhole: this.#incoming.complete };
  }
}

const SCHEMES = {
  http: () => ({ server: createServer(), agent: new Agent({ keepAlive: true }), request: requestHttp }),
  https: () => {
    const folder = mkdtempSync(path.join(tmpdir(), "certificates-"));
    const certificate = new CertificateMaker(folder).make({ commonName: "localhost" });
    rmSync(folder, { recursive: true });
    const agent = new ResettableHttpsAgent({ keepAlive: true, rejectUnauthorized: false });
    return { server: createSecureServer(certificate), agent, request: requestHttps };
  },
};

describe.each(["http", "https"] as const)("a request over %s", (scheme) => {
  /** All of a body has been handed over, and its server has not begun to read. */
  async function handedOver() {
    const { server, agent, request } = SCHEMES[scheme]();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      agent.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const headers = { "content-length": SENT_BYTES };
    const outgoing = request({ host: "127.0.0.1", port, method: "POST", agent, headers });
    outgoing.on("error", () => {}); // it is cut off
    outgoing.flushHeaders();
    const [incoming] = (await once(server, "request")) as [IncomingMessage];
    const received = new Received(incoming);
    await new Promise((resolve) => outgoing.write(new Uint8Array(SENT_BYTES), resolve));
    return { outgoing, received };
  }

  test("that is cut off does not arrive whole, though the system had accepted all of it", async () => {
    const { outgoing, received } = await handedOver();
    resetConnection(outgoing);
    const { byteLength, isWhole } = await received.read();
    expect(isWhole).toBe(false);
    expect(byteLength).toBeLessThan(SENT_BYTES);
  });

  test("that is not cut off arrives whole", async () => {
    const { outgoing, received } = await handedOver();
    outgoing.end();
    expect(await received.read()).toEqual({ byteLength: SENT_BYTES, isWhole: true });
  });
});
