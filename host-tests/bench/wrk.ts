/** Runs wrk, whose own CPU use is a fraction of the server's, so that the result is the server's. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface WrkLoad {
  readonly requestsPerSecond: number;
  readonly bytesPerSecond: number;
}

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** @throws {Error} if any answer was not a success */
export async function wrk(
  address: string,
  {
    connections,
    seconds,
    token,
    tag,
  }: {
    connections: number;
    seconds: number;
    token?: string;
    /** Sent as `If-None-Match`. */
    tag?: string;
  },
): Promise<WrkLoad> {
  const header = [
    ...(token === undefined ? [] : ["-H", `Authorization: Bearer ${token}`]),
    ...(tag === undefined ? [] : ["-H", `If-None-Match: ${tag}`]),
  ];
  const load = ["-t1", `-c${connections}`, `-d${seconds}s`];
  const { stdout } = await run("wrk", [...load, ...header, address]);
  const refused = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout);
  if (refused) throw new Error(`${address}: ${refused[0]}`);
  const [, transferred, unit] = /Transfer\/sec:\s+([\d.]+)(\w+)/.exec(stdout) ?? [];
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    bytesPerSecond: Number(transferred) * (UNITS[unit as string] as number),
  };
}
