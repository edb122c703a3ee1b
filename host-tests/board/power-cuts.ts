/**
 * `npm run test:board:power -- --flash IMAGE --qemu PATH`: ends the emulator of a board at random moments, while the
 * console is made to change what it keeps (changes.ts), and starts it again from the flash that this leaves. Each time the
 * console must start, and be in the state before the change or in that after it.
 *
 * Exit status 0: it was, each time. 1: it was not; the flash is kept. 2: wrong usage.
 */
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type BoardUnderTest, startBoardConsole } from "../hosts/board.js";
import type { Console } from "../hosts/simulator.js";
import { POWER_USAGE, type PowerArguments, readPowerArguments } from "./arguments.js";
import {
  type Change,
  changesWith,
  install,
  type KnownPackage,
  type OwnedConsole,
  observe,
  ownConsole,
  tryApp,
} from "./changes.js";
import { afterPowerLoss, inWords, type KeptState } from "./kept-state.js";
import { RUN_DIRECTORY, runBoardProgram } from "./program.js";

/** Power is cut up to this much later than the change took the first time, so that some cuts come after it. */
const LATER = 1.2;

/** Numbers from 0 to below 1: mulberry32, by Tommy Ettinger. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How a change ended when the power failed. */
interface Cut {
  readonly atMs: number;
  readonly isDone: boolean;
}

/** A console's life of losses of power. */
class Life {
  readonly #start: () => Promise<Console>;
  readonly #random: () => number;
  /** How long each change took the first time, by its name. */
  readonly #lengthsMs = new Map<string, number>();
  /** The states that the console may be in at its next start; none at first: then it is believed. */
  #possible: readonly KeptState[] = [];
  /** The app that was changed when the power failed. */
  #touched: string | undefined;

  constructor(start: () => Promise<Console>, random: () => number) {
    this.#start = start;
    this.#random = random;
  }

  /** @returns the packages, with what the console says is in them */
  learn(packages: PowerArguments["packages"]): Promise<readonly KnownPackage[]> {
    return this.#live(async (console) => {
      const known: KnownPackage[] = [];
      for (const file of packages) known.push({ ...file, app: await install(console, file) });
      this.#possible = [];
      return known;
    });
  }

  /** @returns what happened, in words */
  next(changes: readonly Change[]): Promise<string> {
    return this.#live(async (console, state) => {
      await this.#tryTouched(console, state);
      const change = this.#choose(changes, state);
      this.#touched = change.app;
      const after = change.after(state) as KeptState;
      const cut = await this.#cut(change, console);
      this.#possible = (cut.isDone ? [after] : [state, after]).map(afterPowerLoss);
      const moment = `${cut.isDone ? "done, " : ""}cut after ${(cut.atMs / 1000).toFixed(1)} s`;
      return `${change.name}: ${moment}; it was: ${inWords(state)}`;
    });
  }

  /** Starts the console, and checks the state that the last loss of power has left. */
  check(): Promise<void> {
    return this.#live((console, state) => this.#tryTouched(console, state));
  }

  async #tryTouched(console: OwnedConsole, { apps }: KeptState): Promise<void> {
    const app = this.#touched;
    if (app !== undefined && apps[app] !== undefined) await tryApp(console, app);
  }

  /** One run of the console, which ends by a loss of power. */
  async #live<Result>(act: (console: OwnedConsole, state: KeptState) => Promise<Result>): Promise<Result> {
    const started = await this.#start();
    try {
      const console = await ownConsole(started);
      const found = await observe(console);
      const state = this.#possible.find((possible) => inWords(possible) === inWords(found));
      if (state === undefined && this.#possible.length > 0)
        throw new Error(
          `it is: ${inWords(found)}; it may be: ${[...new Set(this.#possible.map(inWords))].join("; or: ")}`,
        );
      return await act(console, state ?? found);
    } finally {
      await started.kill();
    }
  }

  #choose(changes: readonly Change[], state: KeptState): Change {
    const drawn = changes
      .filter((change) => change.after(state) !== undefined)
      .flatMap((change) => new Array<Change>(change.share).fill(change));
    return drawn[Math.floor(this.#random() * drawn.length)] as Change;
  }

  /** Makes a change until a random moment, or whole the first time. @throws {Error} if the console refuses it */
  async #cut({ name, make }: Change, console: OwnedConsole): Promise<Cut> {
    const lengthMs = this.#lengthsMs.get(name);
    const began = performance.now();
    const moment = lengthMs === undefined ? undefined : this.#random() * LATER * lengthMs;
    const making = make(console);
    making.catch(() => {}); // after the cut its connection breaks
    let isDone = false;
    const done = making.then(() => {
      isDone = true;
      this.#lengthsMs.set(name, Math.max(lengthMs ?? 0, performance.now() - began));
    });
    await (moment === undefined
      ? done
      : Promise.race([done.then(() => wait(moment - (performance.now() - began))), wait(moment)]));
    return { atMs: performance.now() - began, isDone };
  }
}

/** @returns true, once each loss of power has left a whole state @throws {Error} for one that did not */
async function cutPower(
  { packages, bundles, cuts, seed }: PowerArguments,
  board: BoardUnderTest,
): Promise<boolean> {
  const state = path.join(RUN_DIRECTORY, "console");
  mkdirSync(state);
  const life = new Life(() => startBoardConsole({ state }, board), randomNumbers(seed));
  let done = 0;
  try {
    const changes = changesWith(await life.learn(packages), bundles);
    while (done < cuts) {
      const told = await life.next(changes);
      say(`${++done}: ${told}`);
    }
    await life.check();
  } catch (error) {
    throw new Error(`after ${done} cuts: ${(error as Error).message}\nThe flash is "${state}/flash.bin"`, {
      cause: error,
    });
  }
  say(`${done} cuts, each left one state whole`);
  rmSync(state, { recursive: true });
  return true;
}

function say(text: string): void {
  process.stdout.write(`${NAME}: ${text}\n`);
}

const NAME = "test:board:power";

await runBoardProgram({ name: NAME, usage: POWER_USAGE, read: readPowerArguments, run: cutPower });
