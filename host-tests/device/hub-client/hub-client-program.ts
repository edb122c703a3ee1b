/** Uses the client of the hub on XS: registers, takes a file, talks over the push channel; a line of JSON for each. */
import Socket from "embedded:io/socket/tcp";
import base64 from "base64";
import { Digest } from "crypt";
import config from "svc/host";
import memory from "svc/memory";
import random from "svc/random";
import resolver from "svc/resolver";
import clock from "svc/system";
import Tls from "svc/tls";
import timer from "timer";
import { Download } from "../../../hub-client/download.js";
import { HubLink } from "../../../hub-client/hub-link.js";
import type { HubClientPorts } from "../../../hub-client/ports.js";
import type { ConsoleIdentity } from "../../../hub-client/registration.js";
import { type HubAddress, parseHubAddress } from "../../../protocol/hub/hub-address.js";
import { hexOf } from "../../contracts/assert.js";

const say = (name: string, value: unknown) => trace(`${JSON.stringify({ name, value })}\n`);

const identity: ConsoleIdentity = Object.freeze({
  deviceToken: "0b0f2a1e-7a55-4c0e-9d0b-1f6a3c2d4e5f",
  mac: "02:00:00:00:1A:2B",
  name: "Console \u00fc",
  arch: "native",
  firmwareVersion: "1.2.3",
});

function makePorts(): HubClientPorts {
  return { Socket, resolver, timer, clock, random, Digest, base64, memory, ...(Tls && { Tls }) };
}

async function takeFile(ports: HubClientPorts, hub: HubAddress): Promise<void> {
  const url = `${hub.origin}${hub.apiPath}/file`;
  const digest = new Digest("SHA256");
  const onBytes = (bytes: Uint8Array) => digest.write(bytes);
  const download = new Download({ ports, url, hub, token: "t0ken", onBytes });
  const { sizeBytes, signature } = await download.finished;
  say("file", { sizeBytes, signature, sha256: hexOf(new Uint8Array(digest.close())) });
}

/** Answers every message, until the hub has gone and come back. */
function talk(ports: HubClientPorts, url: string): Promise<void> {
  let opens = 0;
  return new Promise((resolve) => {
    const link: HubLink = new HubLink({
      ports,
      address: parseHubAddress(url),
      isRegistered: false,
      identity: () => identity,
      onRegistered: (registration) => say("registration", registration),
      onOpen: () => {
        opens++;
        if (opens === 2) {
          link.close();
          resolve();
        }
      },
      onMessage: (message) => {
        say("message", message);
        if (message.type !== "app.install") return;
        const { app_id, command_id = "" } = message;
        link.send({ type: "app.install.result", app_id, command_id, success: true, error: null });
      },
      onClosed: ({ code }) => say("closed", code),
      onRetry: () => link.retryNow(),
      onMalformed: ({ code }) => say("malformed", code),
    });
  });
}

export default async function main(): Promise<void> {
  const ports = makePorts();
  const url = String(config.options?.["HUB"]);
  try {
    await takeFile(ports, parseHubAddress(url));
    await talk(ports, url);
  } catch (error) {
    say("failed", String(error));
  }
  trace("done\n");
}
