/**
 * What a console is, as its user may believe from what was sent and answered. Nothing here knows of slots and
 * records: this is docs/spec/boot-and-slots.md, against which the services are held.
 *
 * As long as power stays, one belief is left. What power was cut in the midst of may have happened or not, or
 * come half way, so that there are several until the next boot shows which of them is true.
 */
import type { TrialEnd } from "../../device/ports/firmware-slots.js";
import type { LastResult } from "../../protocol/device/answers.js";
import { compareVersions } from "../../protocol/version.js";
import type { RunEnd } from "../hosts/emulated-slots.js";
import type { Firmware, Flaw, KeysName } from "./firmware.js";

type Phase =
  | { readonly phase: "settled" }
  /** Verified, and to be started next; or started, and to be confirmed. */
  | { readonly phase: "staged" | "trial"; readonly candidate: Firmware };

export type Belief = Phase & {
  readonly confirmed: Firmware;
  readonly keys: KeysName;
  /** Which may still be in the file, or not yet any, until a run has begun, or a confirmation ended, undisturbed. */
  readonly formerKeys?: KeysName | "none";
  readonly last?: Omit<LastResult, "message">;
  /** How the last trial failed is news to the console: its log is going to say so, once. */
  readonly isNews: boolean;
};

export interface Upload {
  readonly firmware: Firmware;
  /** `broken_off`: its second half never comes. */
  readonly flaw?: Flaw | "broken_off";
  /** Left out: the bundle is the body of one request. */
  readonly chunkBytes?: number;
  /** How much of that body comes at a time. */
  readonly pieceBytes?: number;
}

export interface Outcome {
  /** What the user is told: `staged`, the code of a refusal, or nothing at all. */
  readonly answer: string | undefined;
  readonly belief: Belief;
}

const ENDS: Readonly<Record<RunEnd, TrialEnd>> = Object.freeze({
  power_on: "power_loss",
  software: "reboot",
  crash: "crash",
  watchdog: "watchdog",
  timeout: "timeout",
});

/** What is started next. */
export function runningIn(belief: Belief): Firmware {
  return belief.phase === "trial" ? belief.candidate : belief.confirmed;
}

/** @param why how the run before it has ended */
export function booted(belief: Belief, why: RunEnd): Belief {
  if (belief.phase === "staged") return { ...belief, phase: "trial" };
  return belief.phase === "trial" ? rolledBack(belief, ENDS[why]) : belief;
}

/** The run has begun undisturbed: what was left to do has been done. */
export function begun({ formerKeys: _, ...belief }: Belief): Belief {
  return { ...belief, isNews: false };
}

export function rolledBack(belief: Belief, error: TrialEnd): Belief {
  if (belief.phase !== "trial") throw new Error("There is no trial that could fail");
  const { version } = belief.candidate;
  return { ...settled(belief), last: { result: "rolled_back", error, version }, isNews: true };
}

/** @returns the same where there is nothing to confirm */
export function confirmed(belief: Belief): Belief {
  if (belief.phase !== "trial") return belief;
  const { candidate, keys: formerKeys } = belief;
  const last = { result: "confirmed", version: candidate.version } as const;
  return { ...settled(belief), confirmed: candidate, keys: candidate.keys ?? formerKeys, formerKeys, last };
}

/** Nothing is staged any more. */
export function dropped(belief: Belief): Belief {
  return belief.phase === "staged" ? settled(belief) : belief;
}

/** @param hasReachedTheSlot whether anything of the image was sent */
export function uploaded(belief: Belief, upload: Upload, hasReachedTheSlot: boolean): Outcome {
  if (belief.phase === "trial") return { answer: "confirm_pending", belief };
  const rest = hasReachedTheSlot ? dropped(belief) : belief;
  if (upload.flaw === "broken_off") return { answer: undefined, belief: rest };
  const error = refusalOf(upload, belief.confirmed);
  if (error) return { answer: error, belief: { ...rest, last: rejected(error, upload) } };
  return { answer: "staged", belief: { ...rest, phase: "staged", candidate: upload.firmware } };
}

/** What an image says of itself is true only once its signature and its CRC hold. */
function rejected(error: string, { firmware: { version }, flaw }: Upload): NonNullable<Belief["last"]> {
  return { result: "rejected", error, ...(flaw === undefined && { version }) };
}

/** In the order of docs/spec/firmware-bundles.md#check-order. */
function refusalOf({ firmware, flaw }: Upload, running: Firmware): string | undefined {
  if (flaw === "signature") return "signature_invalid";
  if (flaw === "crc") return "bundle_crc";
  if (compareVersions(firmware.version, running.version) < 0) return "version_downgrade";
  return firmware.board === undefined ? undefined : "wrong_board";
}

function settled(belief: Belief): Belief {
  const { confirmed, keys, formerKeys, last, isNews } = belief;
  return {
    phase: "settled",
    confirmed,
    keys,
    ...(formerKeys && { formerKeys }),
    ...(last && { last }),
    isNews,
  };
}
