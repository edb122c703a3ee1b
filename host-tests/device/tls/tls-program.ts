/** Runs the contract of TLS on XS, with the servers of the command line, and traces a line of JSON a case. */
import Socket from "embedded:io/socket/tcp";
import config from "svc/host";
import Tls from "svc/tls";
import timer from "timer";
import { TLS_CONTRACT } from "../../contracts/tls.js";
import type { TlsHost } from "../../contracts/tls-clients.js";

const pass = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    timer.set(resolve, milliseconds);
  });

/** No case waits for anything that takes a tenth of that. */
const PATIENCE_MS = 30_000;

async function fail(afterMs: number): Promise<never> {
  await pass(afterMs);
  throw new Error(`It has not ended after ${afterMs} ms`);
}

function makeHost(): TlsHost {
  if (!Tls) throw new Error("There is no TLS");
  return { Tls, Socket, timer, pass, ports: JSON.parse(String(config.options?.["SERVERS"])) };
}

export default async function main(): Promise<void> {
  for (const { name, run } of TLS_CONTRACT) {
    let problem: string | undefined;
    try {
      await Promise.race([run(makeHost()), fail(PATIENCE_MS)]);
    } catch (error) {
      problem = String(error);
    }
    trace(`${JSON.stringify({ name, problem })}\n`);
  }
  trace("done\n");
}
