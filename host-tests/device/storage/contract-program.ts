/** Runs the contract suites on XS, over the simulator's own modules, and traces a line of JSON a case. */
import Listener from "embedded:io/socket/listener";
import Socket from "embedded:io/socket/tcp";
import files from "embedded:storage/files";
import keyValue from "embedded:storage/key-value";
import base64 from "base64";
import Crc32 from "crc32";
import { Digest } from "crypt";
import random from "svc/random";
import resolver from "svc/resolver";
import retained from "svc/retained-memory";
import sandbox from "svc/sandbox";
import system from "svc/system";
import Wifi from "svc/wifi";
import timer from "timer";
import type { ContractCase } from "../../contracts/assert.js";
import { BASE64_CONTRACT } from "../../contracts/base64.js";
import { BYTES_CONTRACT } from "../../contracts/bytes.js";
import { CRC32_CONTRACT } from "../../contracts/crc32.js";
import { DIGEST_CONTRACT } from "../../contracts/digest.js";
import { FILES_CONTRACT } from "../../contracts/files.js";
import { HEXADECIMAL_CONTRACT } from "../../contracts/hexadecimal.js";
import { KEY_VALUE_CONTRACT } from "../../contracts/key-value.js";
import { RANDOM_CONTRACT } from "../../contracts/random.js";
import { RESOLVER_CONTRACT } from "../../contracts/resolver.js";
import { RETAINED_MEMORY_CONTRACT } from "../../contracts/retained-memory.js";
import { SANDBOX_CONTRACT } from "../../contracts/sandbox.js";
import { TCP_CLIENT_CONTRACT } from "../../contracts/tcp-client.js";
import { TEXT_CONTRACT } from "../../contracts/text.js";
import { TIMER_CONTRACT } from "../../contracts/timer.js";
import { WIFI_CONTRACT } from "../../contracts/wifi.js";

async function runContract<Port>(
  suite: string,
  contract: readonly ContractCase<Port>[],
  makePort: () => Port,
) {
  for (const { name, run } of contract) {
    let problem: string | undefined;
    try {
      await run(makePort());
    } catch (error) {
      problem = String(error);
    }
    trace(`${JSON.stringify({ suite, name, problem })}\n`);
  }
}

const pass = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    timer.set(resolve, milliseconds);
  });

function emptyDirectory() {
  const path = `case-${[...files.scan()].length}`;
  files.createDirectory(path);
  return files.openDirectory({ path });
}

/** ECMAScript 2024, which the types of ours lack. */
const detach = (buffer: ArrayBuffer) => void (buffer as ArrayBuffer & { transfer(): ArrayBuffer }).transfer();

export default async function main(): Promise<void> {
  await runContract("timer", TIMER_CONTRACT, () => ({ timer, clock: system, pass }));
  await runContract("digest", DIGEST_CONTRACT, () => Digest);
  await runContract("crc32", CRC32_CONTRACT, () => Crc32);
  await runContract("base64", BASE64_CONTRACT, () => base64);
  await runContract("bytes", BYTES_CONTRACT, () => ({ detach }));
  await runContract("hexadecimal", HEXADECIMAL_CONTRACT, () => undefined);
  await runContract("text", TEXT_CONTRACT, () => ({ TextEncoder, TextDecoder }));
  await runContract("sandbox", SANDBOX_CONTRACT, () => sandbox);
  await runContract("random", RANDOM_CONTRACT, () => random);
  await runContract("retained memory", RETAINED_MEMORY_CONTRACT, () => retained);
  await runContract("files", FILES_CONTRACT, emptyDirectory);
  await runContract("key-value", KEY_VALUE_CONTRACT, () => keyValue);
  await runContract("TCP for clients", TCP_CLIENT_CONTRACT, () => ({ tcp: { Socket, Listener }, pass }));
  await runContract("resolver", RESOLVER_CONTRACT, () => ({ resolver, pass }));
  await runContract("WiFi", WIFI_CONTRACT, () => ({ Wifi, pass }));
  trace("done\n");
}
