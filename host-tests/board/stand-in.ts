/**
 * Stands in for an emulator of Espressif's chips, for tests of `npm run test:board`: takes the emulator's command line,
 * and runs our simulator in place of the board. So it boots nothing of the flash, of which it checks the header only.
 *
 * `SVC_STAND_IN_CONSOLE` names the simulator and its image, `SVC_STAND_IN_STATE` the directory that its flash is like at
 * first. `SVC_STAND_IN` makes it fail: `dies` ends it before its machine runs, `silent` has a board that never comes up, `mute` one
 * that prints nothing, `halts` one whose machine has stopped, `deaf` one that prints that it is ready and has no network,
 * `forgets` one that has lost everything at each start.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { readFlashImage } from "../../tools/flash/flash-image.js";

const MEBIBYTE = 1024 * 1024;

/** Of the console in the flash. */
const PORTS = Object.freeze({ http: "8080", ws: "8081" });

interface Options {
  readonly flash: string;
  readonly machine: string;
  /** Ports of this machine, by those of the board. */
  readonly forwarded: ReadonlyMap<string, number>;
  readonly log: string;
  /** Name of the character device that is a pseudo-terminal. */
  readonly terminal: string;
}

function readOptions(words: readonly string[]): Options {
  const valuesOf = (flag: string) => words.filter((_, index) => words[index - 1] === flag);
  const partOf = (value: string, name: string) =>
    new RegExp(`(?:^|,)${name}=((?:[^,]|,,)*)`).exec(value)?.[1]?.replaceAll(",,", ",");
  const [nic = ""] = valuesOf("-nic");
  const devices = valuesOf("-chardev");
  const options = {
    flash: partOf(valuesOf("-drive")[0] ?? "", "file"),
    machine: valuesOf("-machine")[0],
    forwarded: new Map(
      [...nic.matchAll(/hostfwd=tcp:127\.0\.0\.1:(\d+)-:(\d+)/g)].map(([, ours, theirs = ""]) => [
        theirs,
        Number(ours),
      ]),
    ),
    log: devices.map((device) => partOf(device, "logfile")).find((file) => file !== undefined),
    terminal: devices.filter((device) => device.startsWith("pty,")).map((device) => partOf(device, "id"))[0],
  };
  const missing = Object.entries(options).find(([, value]) => value === undefined);
  if (missing) throw new Error(`no ${missing[0]}`);
  return options as Options;
}

/** The check of an emulator, which has a flash of these sizes only, and that of the chip's own boot loader. */
function checkFlash({ flash, machine }: Options): void {
  const image = readFileSync(flash);
  if (![2, 4, 8, 16].includes(image.length / MEBIBYTE)) throw new Error(`no flash has ${image.length} bytes`);
  const { chip } = readFlashImage(image);
  if (chip !== machine) throw new Error(`the flash is for the ${chip}, the machine is an ${machine}`);
}

/** The state of the simulated console is the flash: it is beside it, and stays as long. */
async function startSimulator(flash: string) {
  const state = path.join(path.dirname(flash), "simulated");
  if (failure === "forgets") rmSync(state, { recursive: true, force: true });
  const first = process.env["SVC_STAND_IN_STATE"];
  if (first !== undefined && !existsSync(state)) cpSync(first, state, { recursive: true });
  mkdirSync(state, { recursive: true });
  const [command = "", image = ""] = (process.env["SVC_STAND_IN_CONSOLE"] ?? "").split(path.delimiter);
  const ports = ["--http-port", "0", "--ws-port", "0", "--address", "127.0.0.1", "--no-mdns"];
  const child = spawn(command, ["--die-with-parent", "--image", image, "--state", state, ...ports], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  return { child, places: JSON.parse(line) as { http: string; ws: string; usb: string } };
}

/** Like user-mode networking: it listens at once, whether or not the board does. */
function forward(port: number, target: () => string | undefined): void {
  const server = createServer({ allowHalfOpen: true }, (outer) => {
    const place = target();
    if (place === undefined) return; // until the client gives up
    const { port: inside, hostname } = new URL(place);
    const inner = connect({ port: Number(inside), host: hostname, allowHalfOpen: true });
    outer.pipe(inner).pipe(outer);
    outer.on("error", () => inner.destroy());
    inner.on("error", () => outer.resetAndDestroy());
    outer.on("close", () => inner.destroy());
    inner.on("close", () => outer.destroy());
  });
  server.listen(port, "127.0.0.1");
}

const words = process.argv.slice(2);
const options = readOptions(words);
const print = (line: string) => appendFileSync(options.log, `${line}\r\n`);
const failure = process.env["SVC_STAND_IN"];

/** Requests in QMP, each with its answer. */
function serveControl(onBegin: () => void): void {
  process.stdout.write('{"QMP": {"version": {}, "capabilities": []}}\n');
  createInterface(process.stdin).on("line", (line) => {
    const { execute, id } = JSON.parse(line) as { readonly execute: string; readonly id: number };
    const isRunning = failure !== "halts";
    const answers: Readonly<Record<string, object>> = {
      "query-status": { running: isRunning, status: isRunning ? "running" : "guest-panicked" },
    };
    process.stdout.write(`${JSON.stringify({ return: answers[execute] ?? {}, id })}\n`);
    if (execute === "cont") onBegin();
  });
}

checkFlash(options);
if (failure === "dies") {
  process.stderr.write("stand-in: could not load the flash\n");
  process.exit(3);
}
let places: { readonly http: string; readonly ws: string; readonly usb: string } | undefined;
forward(options.forwarded.get(PORTS.http) as number, () => places?.http);
forward(options.forwarded.get(PORTS.ws) as number, () => places?.ws);
process.on("SIGTERM", () => process.exit(0));
const simulated = await startSimulator(options.flash);
simulated.child.on("close", (status) => process.exit(status ?? 1));
serveControl(() => {
  if (failure === "mute" || failure === "halts") return;
  print("ets Jul 29 2019 12:21:46");
  print(`stand-in: ${words.join(" ")}`);
  if (failure === undefined || failure === "forgets") places = simulated.places;
  if (failure !== "silent") print("console: ready");
});
process.stdout.write(`char device redirected to ${simulated.places.usb} (label ${options.terminal})\n`);
