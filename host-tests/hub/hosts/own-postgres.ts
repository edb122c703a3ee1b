/**
 * A private PostgreSQL server for a test that stops and restarts it: the installed programs, in a temporary
 * directory.
 */
import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { postgresPrograms } from "../../hosts/peers.js";
import { freePort, ServedPort } from "./own-server.js";
import { createTestDatabase } from "./test-database.js";

/** SQLSTATE `cannot_connect_now`. */
const STARTING_UP = "57P03";

export class OwnPostgres {
  readonly #directory: string;
  readonly #server: ServedPort;

  private constructor(directory: string, server: ServedPort) {
    this.#directory = directory;
    this.#server = server;
  }

  /** @param others further settings, `name=value` */
  static async start(others: readonly string[] = []): Promise<OwnPostgres> {
    const directory = mkdtempSync(path.join(tmpdir(), "postgres-"));
    if (process.getuid?.() === 0) chownSync(directory, idOf("-u"), idOf("-g"));
    const [make, ...makeArguments] = asPostgres(
      "initdb",
      "-D",
      directory,
      "-U",
      "hub",
      "-A",
      "trust",
      "--no-sync",
    );
    execFileSync(`${make}`, makeArguments, { stdio: "ignore", cwd: directory });
    const port = await freePort();
    // Without fsync, data stays in the page cache, which survives a crash of the server.
    const settings = [
      `port=${port}`,
      "listen_addresses=127.0.0.1",
      "unix_socket_directories=",
      "fsync=off",
      ...others,
    ];
    const command = asPostgres(
      "postgres",
      "-D",
      directory,
      ...settings.flatMap((setting) => ["-c", setting]),
    );
    const postgres = new OwnPostgres(directory, new ServedPort(port, command));
    await postgres.resume();
    return postgres;
  }

  /** URL of one of its databases. */
  get url(): string {
    return `postgres://hub@127.0.0.1:${this.#server.port}/postgres`;
  }

  /** The path of a file in its directory. */
  file(name: string): string {
    return path.join(this.#directory, name);
  }

  createDatabase() {
    return createTestDatabase(this.url);
  }

  /** Ends the server immediately, as a crash of its machine does. */
  crash(): Promise<void> {
    return this.#server.stop("SIGQUIT");
  }

  /** Closes every connection cleanly, then ends the server. */
  shutDown(): Promise<void> {
    return this.#server.stop("SIGINT");
  }

  /** Starts it again; resolves once it accepts statements, which after a crash is later than it listens. */
  async resume(): Promise<void> {
    await this.#server.start();
    while (!(await this.#takesStatements()));
  }

  async #takesStatements(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url });
    client.on("error", () => {
      // The error also rejects "connect" or "query".
    });
    try {
      await client.connect();
      await client.query("select 1");
      return true;
    } catch (error) {
      if ((error as { readonly code?: string }).code === STARTING_UP) return false;
      throw error;
    } finally {
      await client.end().catch(() => {
        // The client was never connected.
      });
    }
  }

  async remove(): Promise<void> {
    await this.crash();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** PostgreSQL refuses to run as root, and must end with its parent process. */
function asPostgres(program: string, ...args: readonly string[]): readonly string[] {
  const command = [path.join(`${postgresPrograms()}`, program), ...args];
  const identity = ["--reuid=postgres", "--regid=postgres", "--init-groups"];
  return ["setpriv", ...(process.getuid?.() === 0 ? identity : []), "--pdeathsig=QUIT", ...command];
}

function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
}
