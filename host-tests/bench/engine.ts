/**
 * Benchmark of running apps: prepared modules in the engine's interpreter, compared with the original modules in
 * wasm3 without the engine's additions; and the cost of one ABI call.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runGuest } from "../device/guest/guest-under-test.js";
import { prepared } from "../device/guest/prepared.js";
import { assemble } from "../device/guest/wat.js";
import { SpecRunner } from "../hosts/spec-runner.js";
import { ENGINES } from "./engines.js";
import { inRound } from "./round.js";
import type { AddRow } from "./row.js";

const ROUNDS = inRound({ full: 9, short: 1 });
const ABI_CALLS = inRound({ full: 2_000_000, short: 500_000 });
const TESTDATA = path.join(process.cwd(), "../shared/testdata/wasm3/test/lang");

interface Probe {
  readonly name: string;
  readonly module: Uint8Array;
  readonly entry: string;
  readonly argument: bigint;
}

/** A loop with a minimal body, and a loop over memory. */
const LOOPS = `(module (memory 16)
  (func (export "count") (param $n i32) (result i32) (local $sum i32)
    (loop
      (local.set $sum (i32.add (local.get $sum) (local.get $n)))
      (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $sum))
  (func (export "sieve") (param $rounds i32) (result i32) (local $i i32) (local $j i32) (local $count i32)
    (loop $again
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 1000000))
      (local.set $count (i32.const 0)) (local.set $i (i32.const 2))
      (loop $next
        (if (i32.load8_u (local.get $i)) (then
          (local.set $count (i32.add (local.get $count) (i32.const 1)))
          (local.set $j (i32.shl (local.get $i) (i32.const 1)))
          (if (i32.lt_u (local.get $j) (i32.const 1000000)) (then
            (loop $strike
              (i32.store8 (local.get $j) (i32.const 0))
              (br_if $strike
                (i32.lt_u (local.tee $j (i32.add (local.get $j) (local.get $i))) (i32.const 1000000))))))))
        (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000000))))
      (br_if $again (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1)))))
    (local.get $count)))`;

function probes(): Probe[] {
  const loops = assemble(LOOPS);
  const fib = path.join(TESTDATA, "fib32.wasm");
  return [
    ...(existsSync(fib) ? [{ name: "fib(32)", module: readFileSync(fib), entry: "fib", argument: 32n }] : []),
    { name: "counting", module: loops, entry: "count", argument: 50_000_000n },
    { name: "primes", module: loops, entry: "sieve", argument: 10n },
  ];
}

/**
 * Returns the milliseconds of the export in each engine, the best of several rounds; rounds alternate, so that all meet
 * the same noise.
 */
async function race(
  probe: Probe,
  directory: string,
): Promise<{ readonly engine: number; readonly bare: number; readonly trampoline: number }> {
  const entrants = await Promise.all(
    ENGINES.map(async ({ isBare, variant }) => {
      const file = path.join(directory, `${probe.name}-${variant}-${isBare}.wasm`);
      writeFileSync(file, isBare ? probe.module : prepared(probe.module));
      const runner = await SpecRunner.start({ isBare, variant });
      const { id } = await runner.load(file);
      return { runner, id, best: Number.POSITIVE_INFINITY };
    }),
  );
  for (let round = 0; round < ROUNDS; round++)
    for (const entrant of entrants) {
      const began = performance.now();
      await entrant.runner.invoke(entrant.id, probe.entry, [probe.argument]);
      entrant.best = Math.min(entrant.best, performance.now() - began);
    }
  await Promise.all(entrants.map(({ runner }) => runner.stop()));
  const [engine = 0, bare = 0, trampoline = 0] = entrants.map(({ best }) => best);
  return { engine, bare, trampoline };
}

/** Returns the nanoseconds of one `uptime_ms` call including its loop, the best of several rounds. */
async function abiCallNs(): Promise<number> {
  const entries = Array.from({ length: ROUNDS }, (_, round) => `round${round}`);
  const { exits } = await runGuest({
    entries,
    module: `(import "svc" "uptime_ms" (func $uptime (result i64)))
      (func $measure ${entries.map((name) => `(export "${name}")`).join(" ")} (result i32)
        (local $began i64) (local $i i32)
        (local.set $began (call $uptime))
        (loop
          (drop (call $uptime))
          (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const ${ABI_CALLS}))))
        (i32.wrap_i64 (i64.sub (call $uptime) (local.get $began))))`,
  });
  const best = Math.min(...[...exits.values()].map(({ code }) => code ?? Number.POSITIVE_INFINITY));
  return (best / ABI_CALLS) * 1e6;
}

export default async function measure(row: AddRow): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "bench-"));
  for (const probe of probes()) {
    const { engine, bare, trampoline } = await race(probe, directory);
    const times = `${engine.toFixed(0)} ms, bare wasm3 ${bare.toFixed(0)} ms`;
    row(probe.name, `${(bare / engine).toFixed(2)} of bare wasm3 (${times})`, "≥ 0.97");
    const share = (bare / trampoline).toFixed(2);
    row(`${probe.name}, as on Xtensa`, `${share} of bare wasm3 (${trampoline.toFixed(0)} ms)`);
  }
  rmSync(directory, { recursive: true });
  row("one ABI call (uptime_ms)", `${(await abiCallNs()).toFixed(0)} ns`, "≤ 100 ns");
}
