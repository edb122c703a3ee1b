/** Servers that a test can stop and restart, each on its own port, which it keeps. */
import { type ChildProcess, spawn } from "node:child_process";
import { connect, createServer } from "node:net";

/** Ports that systems assign to nobody by themselves, as they are usually set up: other tests that run now do not get one of them meanwhile. */
const PORTS = Object.freeze({ first: 20_000, count: 12_000 });

/** Each test process looks from another port on. */
let offset = (process.pid * 97) % PORTS.count;

/** A port of 127.0.0.1 that is free, for a program that has to be told its port. */
export async function freePort(): Promise<number> {
  for (;;) {
    offset = (offset + 1) % PORTS.count;
    const port = PORTS.first + offset;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** A program that serves a port while it runs, and ends with its parent process. */
export class ServedPort {
  readonly port: number;
  readonly #command: readonly string[];
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  /** @param command program and arguments */
  constructor(port: number, command: readonly string[]) {
    this.port = port;
    this.#command = command;
  }

  /** Resolves when the port accepts connections. @throws {Error} with the program's output if it ended first */
  async start(): Promise<void> {
    const [program, ...args] = this.#command;
    const said: string[] = [];
    const child = spawn(`${program}`, args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => said.push(String(chunk)));
    this.#exited = new Promise((resolve) => child.once("error", resolve).once("close", resolve));
    this.#child = child;
    let hasExited = false;
    void this.#exited.then(() => {
      hasExited = true;
    });
    while (!(await listens(this.port)))
      if (hasExited) throw new Error(`"${program}" has ended: ${said.join("").slice(-2000)}`);
  }

  /** Sends the signal; resolves when the server has ended. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal);
    await this.#exited;
    this.#child = undefined;
  }
}

/** Returns true if the port accepts connections; resolves after a short delay if not. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => setTimeout(resolve, 20, false));
  });
}
