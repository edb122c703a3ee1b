/**
 * The console's expected state, derived only from the user's requests and the answers. Knows nothing of slots and
 * boot records: it models docs/spec/boot-and-slots.md, which the services are checked against.
 *
 * While power stays on, there is one belief. An operation interrupted by a power cut may have happened, not happened,
 * or happened in part, so there are several beliefs until the next boot shows which one is true.
 */
import type { TrialEnd } from "../../device/ports/firmware-slots.js";
import type { LastResult } from "../../protocol/device/answers.js";
import { compareVersions } from "../../protocol/version.js";
import type { RunEnd } from "../hosts/emulated-slots.js";
import type { Firmware, Flaw, KeysName } from "./firmware.js";

type Phase =
  | { readonly phase: "settled" }
  /** `staged`: verified, starts at the next boot; `trial`: started, awaits confirmation. */
  | { readonly phase: "staged" | "trial"; readonly candidate: Firmware };

export type Belief = Phase & {
  readonly confirmed: Firmware;
  readonly keys: KeysName;
  /**
   * Earlier keys that may still be in the file (`none`: no file yet) until a run has started or a confirmation
   * completed without a power cut.
   */
  readonly formerKeys?: KeysName | "none";
  readonly last?: Omit<LastResult, "message">;
  /** True until the console's log has reported the failure of the last trial, which it does once. */
  readonly isNews: boolean;
};

export interface Upload {
  readonly firmware: Firmware;
  /** `broken_off`: the second half is never sent. */
  readonly flaw?: Flaw | "broken_off";
  /** Default: the bundle is the body of one request. */
  readonly chunkBytes?: number;
  /** Size of the pieces in which that body arrives. */
  readonly pieceBytes?: number;
}

export interface Outcome {
  /** Answer to the user: `staged`, a fault code, or none. */
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

/** Returns the firmware that runs in this state. */
export function runningIn(belief: Belief): Firmware {
  return belief.phase === "trial" ? belief.candidate : belief.confirmed;
}

/** Returns the state after a boot. @param why how the previous run ended */
export function booted(belief: Belief, why: RunEnd): Belief {
  if (belief.phase === "staged") return { ...belief, phase: "trial" };
  return belief.phase === "trial" ? rolledBack(belief, ENDS[why]) : belief;
}

/** Returns the state after an uninterrupted start: pending work is complete. */
export function begun({ formerKeys: _, ...belief }: Belief): Belief {
  return { ...belief, isNews: false };
}

export function rolledBack(belief: Belief, error: TrialEnd): Belief {
  if (belief.phase !== "trial") throw new Error("There is no trial that could fail");
  const { version } = belief.candidate;
  return { ...settled(belief), last: { result: "rolled_back", error, version }, isNews: true };
}

/** Returns the state after a confirmation; unchanged if nothing is on trial. */
export function confirmed(belief: Belief): Belief {
  if (belief.phase !== "trial") return belief;
  const { candidate, keys: formerKeys } = belief;
  const last = { result: "confirmed", version: candidate.version } as const;
  return { ...settled(belief), confirmed: candidate, keys: candidate.keys ?? formerKeys, formerKeys, last };
}

/** Returns the state without the staged firmware. */
export function dropped(belief: Belief): Belief {
  return belief.phase === "staged" ? settled(belief) : belief;
}

/** @param hasReachedTheSlot true if any byte of the image was sent */
export function uploaded(belief: Belief, upload: Upload, hasReachedTheSlot: boolean): Outcome {
  if (belief.phase === "trial") return { answer: "confirm_pending", belief };
  const rest = hasReachedTheSlot ? dropped(belief) : belief;
  if (upload.flaw === "broken_off") return { answer: undefined, belief: rest };
  const error = refusalOf(upload, belief.confirmed);
  if (error) return { answer: error, belief: { ...rest, last: rejected(error, upload) } };
  return { answer: "staged", belief: { ...rest, phase: "staged", candidate: upload.firmware } };
}

/** The result names a version only if signature and CRC are valid; otherwise the image's header is not trusted. */
function rejected(error: string, { firmware: { version }, flaw }: Upload): NonNullable<Belief["last"]> {
  return { result: "rejected", error, ...(flaw === undefined && { version }) };
}

/** Checks in the order of docs/spec/firmware-bundles.md#check-order. */
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
