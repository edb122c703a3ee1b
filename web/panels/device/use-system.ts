/**
 * Polls `GET /api/system` while the panel is visible, and collects samples for the charts. The samples stay with the
 * session: the charts continue, with a gap, when the user returns to the panel.
 */
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SystemInfo } from "../../../protocol/device/answers.js";
import type { Session } from "../../session/session.js";

const PERIOD_MS = 2000;
/** Two minutes of samples. */
export const HISTORY_LENGTH = 60;

export interface Sample {
  /** By the clock of the page. */
  readonly atMs: number;
  readonly loadPercent: number;
  readonly heapUsedBytes: number;
}

export interface SystemView {
  readonly system: SystemInfo | undefined;
  /** Oldest first. */
  readonly history: readonly Sample[];
}

export function useSystem(session: Session): SystemView {
  const state = session.state.value;
  const first = state.phase === "ready" || state.phase === "waiting" ? state.system : undefined;
  const kept = viewOf(session);
  const view = kept.value;
  const device = session.device.value;
  useEffect(() => {
    if (device === undefined) return;
    const read = async () => {
      if (document.visibilityState !== "visible" || session.isUploading.peek()) return;
      const system = await device.system().catch(() => undefined); // the link detects a lost console
      if (system !== undefined && session.device.peek() === device)
        kept.value = advance(kept.peek(), system, performance.now());
    };
    void read();
    const timer = setInterval(read, PERIOD_MS);
    return () => clearInterval(timer);
  }, [device, session, kept]);
  // Until the first response of this console, `view` can be of the previous one.
  return { system: view.system?.mac === first?.mac ? view.system : first, history: view.history };
}

const views = new WeakMap<Session, Signal<SystemView>>();

function viewOf(session: Session): Signal<SystemView> {
  let view = views.get(session);
  if (!view) {
    view = signal<SystemView>({ system: undefined, history: [] });
    views.set(session, view);
  }
  return view;
}

/** Adds a sample. The history starts anew with another console, and continues when a console restarts. */
export function advance(
  { system: before, history }: SystemView,
  system: SystemInfo,
  atMs: number,
): SystemView {
  const kept = before?.mac === system.mac ? history : [];
  const sinceMs = atMs - (HISTORY_LENGTH - 0.5) * PERIOD_MS;
  return { system, history: [...kept.filter((sample) => sample.atMs > sinceMs), sampleOf(system, atMs)] };
}

function sampleOf({ cpu, heap }: SystemInfo, atMs: number): Sample {
  return { atMs, loadPercent: cpu.load_percent, heapUsedBytes: heap.total_bytes - heap.free_bytes };
}

/** A value for each period up to the newest sample, oldest first; `undefined` for periods without polling. */
export function valuesOver(
  history: readonly Sample[],
  pick: (sample: Sample) => number,
): readonly (number | undefined)[] {
  const nowMs = history.at(-1)?.atMs;
  if (nowMs === undefined) return [];
  const values = Array.from<number | undefined>({ length: HISTORY_LENGTH });
  for (const sample of history)
    values[HISTORY_LENGTH - 1 - Math.round((nowMs - sample.atMs) / PERIOD_MS)] = pick(sample);
  return values;
}
