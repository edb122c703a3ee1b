/**
 * Two hosts on a cable of their own: network namespaces joined by a pair of virtual interfaces, so that multicast is
 * real and reaches no other host. The console runs on one, a peer on the other, and each has an empty /run of its own.
 * Needs root.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";

const CONSOLE_ADDRESS = "10.77.0.1";
const PEER_ADDRESS = "10.77.0.2";

export class Host {
  readonly address: string;
  readonly #holder: ChildProcess;

  private constructor(address: string, holder: ChildProcess) {
    this.address = address;
    this.#holder = holder;
  }

  static async create(address: string): Promise<Host> {
    const setUp = "ip link set lo up && mount -t tmpfs none /run && echo up && exec cat";
    const holder = spawn("unshare", ["--net", "--mount", "sh", "-c", setUp], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(holder.stdout, "data"); // the namespaces are there, and stay until its input is closed
    return new Host(address, holder);
  }

  get pid(): number {
    return this.#holder.pid as number;
  }

  /** The command that runs `command` on this host. */
  command(...command: readonly string[]): [string, string[]] {
    return ["nsenter", ["--target", String(this.pid), "--net", "--mount", "--", ...command]];
  }

  /** Runs to the end. @returns what it wrote */
  run(...command: readonly string[]): string {
    const [file, parameters] = this.command(...command);
    return execFileSync(file, parameters, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  async close(): Promise<void> {
    const ended = once(this.#holder, "exit");
    this.#holder.stdin?.end();
    await ended;
  }
}

export interface TwoHosts {
  readonly console: Host;
  readonly peer: Host;
  close(): Promise<void>;
}

export async function twoHosts(): Promise<TwoHosts> {
  const [console, peer] = [await Host.create(CONSOLE_ADDRESS), await Host.create(PEER_ADDRESS)];
  console.run(
    "ip",
    "link",
    "add",
    "cable0",
    "type",
    "veth",
    "peer",
    "name",
    "cable0",
    "netns",
    String(peer.pid),
  );
  for (const host of [console, peer]) {
    host.run("ip", "address", "add", `${host.address}/24`, "dev", "cable0");
    host.run("ip", "link", "set", "cable0", "addrgenmode", "none"); // IPv4 alone
    host.run("ip", "link", "set", "cable0", "up", "multicast", "on");
  }
  const close = async () => {
    await console.close();
    await peer.close();
  };
  return { console, peer, close };
}
