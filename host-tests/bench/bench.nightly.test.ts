/** Runs `npm run bench` and `npm run bench:hub` in a short round: every part must run and report figures. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isMissing, type Peer } from "../hosts/peers.js";

const root = path.join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** The parts of each script, with the optional program that a part requires. */
const RUNS = [
  {
    script: "bench",
    parts: {
      console: null,
      apps: null,
      "app-dev": null,
      firmware: null,
      engine: null,
      aot: null,
      heap: "multilib",
    },
  },
  {
    script: "bench:hub",
    parts: { "hub-routes": "wrk", "hub-fleet": null, "hub-rollout": null, "hub-growth": "wrk" },
  },
] as const;

/** One or two numbers and their unit, or a number and the two that it compares. */
const FIGURE = /^\d+(\.\d+)?(( \/ \d+(\.\d+)?)? (ms|s|ns|\/s|%|×|KiB|MiB\/s|of bare wasm3)|: \d)/;

/** Of a language whose compiler is not there. */
const NO_COMPILER = /^not measured: (\w+) is missing$/;

test.each(RUNS)(
  "A short round of npm run $script reports figures for each section",
  async ({ script, parts }) => {
    const { stdout } = await run("npm", ["run", "--silent", script, "--", "--short"], { cwd: root });
    const rows = stdout.split("\n").map((line) => line.split(/ {2,}/));
    expect(stdout).not.toMatch(/NaN|Infinity|undefined/);
    for (const [part, peer] of Object.entries(parts)) {
      const measured = rows.filter(([name]) => name === part).map(([, , figures]) => figures);
      expect(measured, stdout).not.toEqual([]);
      const expected = peer && isMissing(peer) ? /^not measured: (the package|this kernel) / : FIGURE;
      for (const figures of measured) {
        const compiler = NO_COMPILER.exec(figures ?? "")?.[1];
        if (compiler === undefined) expect(figures, stdout).toMatch(expected);
        else expect(isMissing(compiler as Peer), stdout).toBe(true);
      }
    }
  },
  600_000,
);
