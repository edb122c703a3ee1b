/**
 * Benchmark of hostile apps: latency of the status while four apps spin, compared with the same console without them;
 * and the time that an app takes to stop (docs/spec/apps.md#stop-time).
 */
import { installOverHttp } from "../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../hosts/app-console.js";
import { moduleOf, packageOf } from "../hosts/app-files.js";
import { load } from "./http-load.js";
import { inRound } from "./round.js";
import { type AddRow, timed } from "./row.js";

const LOAD_SECONDS = inRound({ full: 4, short: 0.5 });
const STOPS = inRound({ full: 10, short: 2 });
const NAMES = ["one", "two", "three", "four"];

/** Never returns and never calls the console. */
const SPINS = `(module (func (export "main") (loop $again (br $again))))`;

async function install(console: AppConsole, name: string): Promise<void> {
  const file = packageOf(await moduleOf(SPINS), { name });
  const { status } = await installOverHttp(console, { file, signature: console.publisher.sign(file) });
  if (status !== 200) throw new Error(`Cannot install "${name}": status ${status}`);
}

async function each(console: AppConsole, verb: "start" | "stop"): Promise<void> {
  for (const name of NAMES) {
    const { status } = await console.app(verb, name);
    if (status !== 200) throw new Error(`Cannot ${verb} "${name}": status ${status}`);
  }
}

export default async function measure(row: AddRow): Promise<void> {
  const console = await startAppConsole();
  try {
    for (const name of NAMES) await install(console, name);
    const idle = await load(`${console.http}/api/status`, 1, LOAD_SECONDS);
    await each(console, "start");
    const beside = await load(`${console.http}/api/status`, 1, LOAD_SECONDS);
    await each(console, "stop");
    const ratio = (beside.requestsPerSecond / idle.requestsPerSecond).toFixed(2);
    row(
      "GET /api/status beside four apps that spin",
      `${Math.round(beside.requestsPerSecond)} /s, p99 ${beside.p99Ms.toFixed(2)} ms; ${ratio} × without them`,
      "p99 ≤ 50 ms",
    );
    const times: number[] = [];
    for (let stop = 0; stop < STOPS; stop++) {
      await console.app("start", "one");
      times.push(await timed(() => console.app("stop", "one")));
    }
    row("Stop of an app that spins", `${Math.max(...times).toFixed(1)} ms at most of ${STOPS}`, "≤ 1000 ms");
  } finally {
    await console.stop();
  }
}
