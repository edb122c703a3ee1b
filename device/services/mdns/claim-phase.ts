/**
 * The states of a unique name until it is ours, and when it is contested (RFC 6762 §8 and §9):
 *
 *            probe ┌──────────────── probe (conflict, lost tiebreak, new records) ───────┐
 *                  ▼                                                                      │
 *     idle ──► probing(0..3) ── due, three probes out ──► announcing(1) ── due ──► announced
 *       ▲                                                                                 │
 *       └──────────────────────────────────── stop ───────────────────────────────────────┘
 */
import { ANNOUNCEMENT_COUNT, ANNOUNCEMENT_INTERVAL_MS, PROBE_COUNT, PROBE_INTERVAL_MS } from "./limits.js";

export type ClaimPhase =
  | { readonly phase: "idle" }
  /** `sent` probes are out; at `dueMs` the next one goes, or the name is ours. */
  | { readonly phase: "probing"; readonly sent: number; readonly dueMs: number }
  /** `sent` announcements are out, the next one goes at `dueMs`. */
  | { readonly phase: "announcing"; readonly sent: number; readonly dueMs: number }
  | { readonly phase: "announced" };

export type ClaimEvent =
  /** Probe from the start, first at `atMs`. */
  | { readonly kind: "probe"; readonly atMs: number }
  /** `dueMs` of the phase has come. */
  | { readonly kind: "due"; readonly nowMs: number }
  | { readonly kind: "stop" };

export const IDLE: ClaimPhase = Object.freeze({ phase: "idle" });
const ANNOUNCED: ClaimPhase = Object.freeze({ phase: "announced" });

/** The whole machine. On `due`, the caller sends a probe or an announcement, according to the phase it leads to. */
export function advance(claim: ClaimPhase, event: ClaimEvent): ClaimPhase {
  switch (event.kind) {
    case "probe":
      return { phase: "probing", sent: 0, dueMs: event.atMs };
    case "stop":
      return IDLE;
    case "due":
      return afterDue(claim, event.nowMs);
    default:
      return event satisfies never;
  }
}

function afterDue(claim: ClaimPhase, nowMs: number): ClaimPhase {
  switch (claim.phase) {
    case "probing":
      if (claim.sent === PROBE_COUNT) return announcing(1, nowMs);
      return { phase: "probing", sent: claim.sent + 1, dueMs: nowMs + PROBE_INTERVAL_MS };
    case "announcing":
      return announcing(claim.sent + 1, nowMs);
    case "idle":
    case "announced":
      return claim;
    default:
      return claim satisfies never;
  }
}

function announcing(sent: number, nowMs: number): ClaimPhase {
  if (sent === ANNOUNCEMENT_COUNT) return ANNOUNCED;
  return { phase: "announcing", sent, dueMs: nowMs + ANNOUNCEMENT_INTERVAL_MS };
}

/** When the phase wants attention, `Infinity` where never. */
export function dueOf(claim: ClaimPhase): number {
  return claim.phase === "probing" || claim.phase === "announcing" ? claim.dueMs : Number.POSITIVE_INFINITY;
}

/** Whether the name is ours, so that questions about it are answered. */
export function isOurs(claim: ClaimPhase): boolean {
  return claim.phase === "announcing" || claim.phase === "announced";
}
