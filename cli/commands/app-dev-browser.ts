/** `svc app dev --browser`: runs an app in the browser, and again on each save. Needs neither a console nor a key. */
import { BackgroundBuild } from "../apps/background-build.js";
import { DevReport } from "../apps/dev-report.js";
import type { PlayerReport } from "../apps/player-report.js";
import { PlayerServer } from "../apps/player-server.js";
import { SourceWatch } from "../apps/source-watch.js";
import type { Call } from "../command.js";
import { reading } from "../files.js";
import { SvcError } from "../svc-error.js";

/** A fixed one, since a browser keeps what apps store by the address of the page, of which the port is a part. */
const DEFAULT_PORT = 8090;

const LETTERS = "DIWE";

export async function developInBrowser(call: Call): Promise<undefined> {
  const { DIR: directory = "", port } = call.values;
  const report = new DevReport(call.output);
  const began = performance.now();
  const builder = new BackgroundBuild();
  call.defer(() => builder.close());
  const server = await startServer(portOf(port), (event) => reportOf(event, report, began, () => builtAt));
  call.defer(() => server.close());
  let builtAt = began;
  let savedAt: number | undefined = began;
  let wake = () => {};
  call.signal.addEventListener("abort", () => wake());
  const watch = await reading(
    directory,
    async () =>
      new SourceWatch(directory, (at) => {
        savedAt ??= at;
        wake();
      }),
  );
  call.defer(() => watch.close());
  report.serving(server.address);
  while (!call.signal.aborted) {
    if (savedAt === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    builtAt = savedAt;
    savedAt = undefined;
    try {
      const { manifest, package: file, lines } = await builder.build(directory);
      report.built({ ...manifest, file, savedAt: builtAt });
      report.starting({ lines });
      server.show(file);
    } catch (error) {
      if (call.signal.aborted) break;
      report.failed("build", error); // the page's app stays
      server.fail("The app does not build: svc app dev tells why in its terminal.");
    }
  }
  return undefined;
}

/** @throws {SvcError} `wrong_usage` */
function portOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw new SvcError("wrong_usage", `Cannot listen on port "${text}"`);
}

async function startServer(port: number, onReport: (report: PlayerReport) => void): Promise<PlayerServer> {
  const { playerFiles } = await import("../../tools/player-page.js"); // only here: it loads the bundler
  const files = await playerFiles();
  try {
    return await PlayerServer.start({ files, port, onReport });
  } catch (cause) {
    if (Object(cause).code !== "EADDRINUSE") throw cause;
    throw new SvcError("wrong_usage", `Port ${port} is taken`, {
      cause,
      advice: "Choose another one with --port, or 0 for any.",
    });
  }
}

/** Prints a report in the form of a console's log (docs/spec/logs.md#line-form), with times from the start of svc. */
function reportOf(event: PlayerReport, report: DevReport, began: number, builtAt: () => number): void {
  const timeMs = Math.round(performance.now() - began);
  const time = `${Math.floor(timeMs / 1000)}.${String(timeMs % 1000).padStart(3, "0")}`;
  const print = (level: number, source: string, message: string) => {
    const letter = LETTERS[level] as "D" | "I" | "W" | "E";
    const line = `${time} ${letter} ${source}: ${message}`;
    report.log({ line, timeMs, level: letter, source, message });
  };
  if (event.kind === "started") report.playing(event, builtAt());
  else if (event.kind === "ended") print(1, "apps", `"${event.name}" ended: ${event.message}`);
  else
    for (const { level, text, lost } of event.lines) {
      if (lost > 0) print(2, `app/${event.name}`, `${lost} lines lost`);
      print(level, `app/${event.name}`, text);
    }
}
