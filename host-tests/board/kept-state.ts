/**
 * What a console keeps without power, as far as the test of power cuts changes it, and what a start makes of it
 * (docs/spec/boot-and-slots.md).
 */

/** Immutable. */
export interface KeptState {
  /** Versions of firmware. */
  readonly confirmed: string;
  readonly staged?: string | undefined;
  /** Runs now, and at no further start unless it is confirmed. */
  readonly trial?: string | undefined;
  /** Of the last update: `confirmed 0.2.0`, `rolled_back 0.2.0 power_loss`. */
  readonly result?: string | undefined;
  /** Versions of the installed apps, by name. */
  readonly apps: Readonly<Record<string, string>>;
  /** Address of the hub, or `""`. */
  readonly hub: string;
}

/** @returns the state after a start that follows a loss of power */
export function afterPowerLoss(state: KeptState): KeptState {
  const { staged, trial } = state;
  if (staged !== undefined) return { ...state, staged: undefined, trial: staged };
  return trial === undefined
    ? state
    : { ...state, trial: undefined, result: `rolled_back ${trial} power_loss` };
}

/** The state as the console's endpoints tell it, in words: equal for states that cannot be told apart. */
export function inWords({ confirmed, staged, trial, result, apps, hub }: KeptState): string {
  const installed = Object.entries(apps)
    .map((app) => app.join(" "))
    .sort();
  return [
    trial === undefined ? `firmware ${confirmed}` : `firmware ${trial} on trial`,
    ...(staged === undefined ? [] : [`${staged} staged`]),
    `last update: ${result ?? "none"}`,
    `apps: ${installed.length === 0 ? "none" : installed.join(" and ")}`,
    `hub: ${hub === "" ? "none" : hub}`,
  ].join(", ");
}
