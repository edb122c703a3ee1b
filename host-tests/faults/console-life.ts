/**
 * Simulates firmware updates of a console over several runs, until its power is cut. The services are the real ones,
 * on emulated storage, slots and boot loader. After each step without a power cut, the state that the console shows
 * is compared with the expected state (`belief.ts`).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { PowerCut } from "../hosts/emulated-power.js";
import type { RunEnd } from "../hosts/emulated-slots.js";
import type { EmulatedStorage } from "../hosts/emulated-storage.js";
import type { Cut, Lived } from "../hosts/power-sweep.js";
import { flashedStorage, Run } from "../unit/services/firmware/emulated-update.js";
import {
  type Belief,
  begun,
  booted,
  confirmed,
  dropped,
  rolledBack,
  type Upload,
  uploaded,
} from "./belief.js";
import { borneOut, checkKeys, isStarted, tellsOfFailure } from "./console-view.js";
import { FACTORY, GOAL, imageFor, OLD } from "./firmware.js";
import { type KeptState, keptIn, storageWith } from "./kept-state.js";
import { type Move, reachesTheSlot, send } from "./update-move.js";

/** `CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S`, in milliseconds. */
const TRIAL_MS = 300_000;

/** A console that is off, and the moves left to make. */
export interface Moment {
  readonly kept: KeptState;
  /** At least one of them is true. */
  readonly beliefs: readonly Belief[];
  readonly moves: readonly Move[];
}

/** A console that trusts the `first` keys. */
export function beginning(moves: readonly Move[]): Moment {
  const belief: Belief = { phase: "settled", confirmed: OLD, keys: "first", isNews: false };
  return { kept: keptIn(flashedStorage()), beliefs: [belief], moves };
}

/** A console before its first power-on, flashed by cable; trusts only the keys that its firmware contains. */
export function beginningByCable(moves: readonly Move[]): Moment {
  const storage = flashedStorage();
  storage.bootLoader.flash(imageFor(FACTORY));
  const kept = { ...keptIn(storage), files: new Map() };
  const belief: Belief = {
    phase: "settled",
    confirmed: FACTORY,
    keys: "first",
    formerKeys: "none",
    isNews: false,
  };
  return { kept, beliefs: [belief], moves };
}

/** Returns a key that is equal exactly for equivalent moments. */
export function nameOf({ kept, beliefs, moves }: Moment): string {
  const { files, lastUpdate, slots, record } = kept;
  const hash = createHash("sha256").update(slots.a).update(slots.b);
  return hash.update(JSON.stringify([[...files], lastUpdate, record, beliefs, moves])).digest("base64");
}

/**
 * Switches the console on, makes its moves and then an update that must succeed, until the power is cut.
 * @throws {Error} if the console's state is not an expected one
 */
export async function live(moment: Moment, cut?: Cut): Promise<Lived<Moment>> {
  const life = new Life(moment, cut);
  try {
    return await life.live();
  } catch (cause) {
    const believed = JSON.stringify(life.beliefs);
    throw new Error(`A console went wrong that was believed to be one of ${believed}`, { cause });
  }
}

class Life {
  readonly #storage: EmulatedStorage;
  readonly #cut: Cut | undefined;
  readonly #start: number;
  readonly #moves: Move[];
  #beliefs: readonly Belief[];
  #run: Run | undefined;

  constructor({ kept, beliefs, moves }: Moment, cut: Cut | undefined) {
    this.#storage = storageWith(kept);
    this.#cut = cut;
    this.#start = this.#storage.operationCount;
    this.#moves = [...moves];
    this.#beliefs = beliefs;
  }

  get beliefs(): readonly Belief[] {
    return this.#beliefs;
  }

  async live(): Promise<Lived<Moment>> {
    try {
      this.#boot("power_on");
      for (let move = this.#moves.shift(); move; move = this.#moves.shift()) await this.#make(move);
      await this.#reachGoal();
    } catch (error) {
      if (!this.#storage.isOff) throw error;
    }
    return { operations: this.#operations, left: this.#storage.isOff ? this.#left() : undefined };
  }

  get #operations(): number {
    return this.#storage.operationCount - this.#start;
  }

  get #running(): Run {
    assert.ok(this.#run);
    return this.#run;
  }

  get #belief(): Belief {
    const [belief, ...others] = this.#beliefs;
    assert.ok(belief && others.length === 0, "the console does not show what it is");
    return belief;
  }

  #make(move: Move): void | Promise<void> {
    switch (move.kind) {
      case "upload":
        return this.#upload(move.upload);
      case "confirm":
        return this.#confirm();
      case "end":
        return this.#boot(move.why);
      case "wait":
        return this.#wait();
      default:
        return move satisfies never;
    }
  }

  /** Installs and confirms good firmware, which must succeed from any state. */
  async #reachGoal(): Promise<void> {
    if (this.#belief.phase === "trial") this.#confirm();
    if (this.#belief.confirmed !== GOAL) {
      await this.#upload({ firmware: GOAL, pieceBytes: 100 });
      this.#boot("software");
      this.#confirm();
    }
    this.#boot("power_on");
    assert.equal(this.#belief.confirmed, GOAL);
  }

  #boot(why: RunEnd): void {
    const before = this.#beliefs;
    const after = before.map((belief) => booted(belief, why));
    this.#beliefs = [...before, ...after];
    this.#switchOn();
    this.#storage.bootLoader.boot(why);
    const started = after.filter((belief) => isStarted(belief, this.#storage));
    assert.ok(started.length > 0, "the boot loader has started something else");
    this.#beliefs = [...started, ...started.map(begun)];
    this.#run = new Run(this.#storage);
    this.#requirePower();
    const tells = tellsOfFailure(this.#run);
    const told = started.filter(({ isNews }) => isNews === tells);
    assert.ok(told.length > 0, `the log ${tells ? "tells" : "does not tell"} of a failed update`);
    this.#look(told.map(begun));
  }

  /** Plans the power cut again, since a restart cancels it. */
  #switchOn(): void {
    this.#storage.restart();
    if (this.#cut) this.#storage.cutPowerAt(this.#cut.operation - this.#operations, this.#cut.seed);
  }

  async #upload(upload: Upload): Promise<void> {
    const belief = this.#belief;
    const { keys } = belief;
    const outcome = uploaded(belief, upload, reachesTheSlot(upload, keys));
    this.#beliefs = [belief, dropped(belief), outcome.belief];
    const answer = await send(this.#running, upload, keys);
    this.#requirePower();
    assert.equal(answer, outcome.answer);
    this.#look([outcome.belief]);
  }

  #confirm(): void {
    const belief = this.#belief;
    const after = confirmed(belief);
    this.#beliefs = [belief, after];
    const confirm = () => this.#running.ota.confirm();
    if (belief.phase === "trial") confirm();
    else assert.throws(confirm, { code: "nothing_pending" });
    this.#requirePower();
    this.#look([begun(after)]);
  }

  /** Waits for the longest trial: a trial must end by itself, with a restart. */
  #wait(): void {
    const belief = this.#belief;
    const isTrial = belief.phase === "trial";
    const after = isTrial ? rolledBack(belief, "timeout") : belief;
    this.#beliefs = [belief, after];
    this.#running.clock.advance(TRIAL_MS);
    this.#requirePower();
    assert.equal(this.#running.system.restarts(), isTrial ? 1 : 0);
    this.#beliefs = [after];
    if (isTrial) this.#boot("software");
    else this.#look([after]);
  }

  #look(beliefs: readonly Belief[]): void {
    this.#beliefs = distinct(borneOut(beliefs, this.#running));
  }

  /** Throws if the power is off; services may have swallowed the error of the failed write. */
  #requirePower(): void {
    if (this.#storage.isOff) throw new PowerCut("The power is off");
  }

  #left(): Moment {
    this.#storage.restart();
    const beliefs = distinct(this.#beliefs);
    checkKeys(beliefs, this.#storage);
    return { kept: keptIn(this.#storage), beliefs, moves: [...this.#moves] };
  }
}

function distinct(beliefs: readonly Belief[]): readonly Belief[] {
  return [...new Map(beliefs.map((belief) => [JSON.stringify(belief), belief])).values()];
}
