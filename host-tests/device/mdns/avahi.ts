/** Avahi on a host of its own: message bus, daemon, and its programs. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Program } from "./program.js";
import type { Host } from "./two-hosts.js";

/** A service as `avahi-browse --parsable` gives it. */
export interface Found {
  readonly name: string;
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly text: readonly string[];
}

export class Avahi {
  readonly #host: Host;
  readonly #folder: string;
  readonly #programs: Program[];
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(host: Host, folder: string) {
    this.#host = host;
    this.#folder = folder;
    this.#programs = [];
    this.#environment = {
      ...process.env,
      LANG: "C.UTF-8",
      DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${folder}/bus`,
    };
  }

  static async start(host: Host): Promise<Avahi> {
    const folder = mkdtempSync(path.join(tmpdir(), "avahi-"));
    const avahi = new Avahi(host, folder);
    writeFileSync(path.join(folder, "bus.conf"), busConfiguration(folder));
    writeFileSync(path.join(folder, "avahi.conf"), DAEMON_CONFIGURATION);
    const bus = avahi.run("dbus-daemon", `--config-file=${folder}/bus.conf`, "--nofork", "--print-address=1");
    await bus.line(/^unix:/);
    const flags = ["--no-drop-root", "--no-chroot", "--no-rlimits", "-f", `${folder}/avahi.conf`];
    const daemon = avahi.run("avahi-daemon", ...flags);
    await daemon.line(/Server startup complete/);
    return avahi;
  }

  /** A program beside the daemon, ended with it at the latest. */
  run(...command: readonly string[]): Program {
    const program = new Program(this.#host.command(...command), this.#environment);
    this.#programs.push(program);
    return program;
  }

  /** What is there of a type once the daemon has asked. */
  async browse(type: string): Promise<Found[]> {
    const lines = await this.run("avahi-browse", "--resolve", "--parsable", "--terminate", type).output();
    return lines.filter((line) => line.startsWith("=")).map(foundIn);
  }

  async close(): Promise<void> {
    for (const program of this.#programs.reverse()) await program.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** `=;cable0;IPv4;Console-1A2B;_svc._tcp;local;Console-1A2B.local;10.77.0.1;8080;"api=v1" "fw=0.1.0"` */
export function foundIn(line: string): Found {
  const [, , , name = "", , , host = "", address = "", port = "", text = ""] = line.split(";");
  const strings = [...text.matchAll(/"([^"]*)"/g)].map(([, string = ""]) => string);
  return { name: unescaped(name), host, address, port: Number(port), text: strings.sort() };
}

/** Avahi writes what is not a letter or digit as `\032`, three decimal digits. */
function unescaped(name: string): string {
  return name.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number(code)));
}

const DAEMON_CONFIGURATION = `[server]
host-name=peer
use-ipv4=yes
use-ipv6=no
allow-interfaces=cable0
[wide-area]
enable-wide-area=no
[publish]
publish-hinfo=no
publish-workstation=no
`;

function busConfiguration(folder: string): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=${folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
  </policy>
</busconfig>
`;
}
