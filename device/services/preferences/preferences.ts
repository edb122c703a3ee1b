/** What a user chooses on the console itself: `/api/settings` (docs/spec/home.md#chosen). */
import type { Preferences as PreferencesBody, Updates } from "../../../protocol/device/answers.js";
import { Fault, quoted } from "../../../protocol/fault.js";
import { isAppName } from "../../../protocol/manifest/app-name.js";
import type { Call } from "../api/call.js";
import type { JsonAnswer } from "../api/request.js";
import {
  BRIGHTNESS_SETTING,
  type Settings,
  SLEEP_SETTING,
  START_APP_SETTING,
  START_TRIES_SETTING,
  UPDATES_SETTING,
  UTC_OFFSET_SETTING,
} from "../settings/settings.js";

/** As `start_app`: the app that was in front when the console was switched off. */
export const LAST_APP = "*";

const LEAST_BRIGHTNESS = 10;
const FULL_BRIGHTNESS = 100;
const LONGEST_SLEEP_S = 86_400;

const UTC = "+00:00";
/** From 12 hours behind to 14 ahead: the time zones that there are. */
const UTC_OFFSET = /^([+-])(0[0-9]|1[0-4]):([0-5][0-9])$/;
const MOST_BEHIND_MIN = -12 * 60;
const MOST_AHEAD_MIN = 14 * 60;

const UPDATES: readonly string[] = Object.freeze(["ask", "ask_all", "automatic"] satisfies Updates[]);

/** What the settings depend on in a build. */
interface BuildFacts {
  /** Whether updates are automatic until the user chooses (`CONFIG_SVC_HUB_AUTO_UPDATE`). */
  readonly isAutomaticFirst: boolean;
  /** Whether there is a home screen, which asks. */
  readonly hasHomeScreen: boolean;
}

/** What is given of the settings. */
export interface Choice {
  readonly startApp?: string | undefined;
  readonly brightnessPercent?: number | undefined;
  readonly sleepAfterS?: number | undefined;
  readonly updates?: string | undefined;
  readonly utcOffset?: string | undefined;
}

export class Preferences {
  readonly #settings: Settings;
  readonly #build: BuildFacts;
  /** Called after each change. */
  onChange: (() => void) | undefined;

  constructor(settings: Settings, build: BuildFacts) {
    this.#settings = settings;
    this.#build = build;
  }

  /** Name of the app that starts with the console, {@link LAST_APP}, or `""` for the home screen. */
  get startApp(): string {
    return this.#settings.readValid(START_APP_SETTING, isStartApp) ?? "";
  }

  get brightnessPercent(): number {
    const kept = this.#settings.readNumber(BRIGHTNESS_SETTING, LEAST_BRIGHTNESS, FULL_BRIGHTNESS);
    return kept ?? FULL_BRIGHTNESS;
  }

  /** 0: never. */
  get sleepAfterS(): number {
    return this.#settings.readNumber(SLEEP_SETTING, 0, LONGEST_SLEEP_S) ?? 0;
  }

  /** Minutes by which local time is ahead of UTC. */
  get utcOffsetMin(): number {
    return minutesOf(this.#utcOffset) as number;
  }

  get #utcOffset(): string {
    return this.#settings.readValid(UTC_OFFSET_SETTING, (kept) => minutesOf(kept) !== undefined) ?? UTC;
  }

  /** What the hub's commands need. */
  get updates(): Updates {
    const { hasHomeScreen, isAutomaticFirst } = this.#build;
    const chosen = this.#settings.read(UPDATES_SETTING) ?? (isAutomaticFirst ? "automatic" : "ask");
    if (chosen === "ask_all" && hasHomeScreen) return chosen;
    return chosen === "automatic" ? chosen : "ask";
  }

  get body(): PreferencesBody {
    return {
      start_app: this.startApp,
      brightness_percent: this.brightnessPercent,
      sleep_after_s: this.sleepAfterS,
      updates: this.updates,
      utc_offset: this.#utcOffset,
    };
  }

  /** Changes what is given. @throws {Fault} `bad_parameter`, and changes nothing; `storage_full`, after which a part is changed */
  change(choice: Choice): void {
    check(choice, this.#build);
    const { startApp, brightnessPercent, sleepAfterS, updates, utcOffset } = choice;
    try {
      this.#write(START_APP_SETTING, startApp);
      if (startApp !== undefined) this.#settings.delete(START_TRIES_SETTING); // the user has another try in mind
      this.#write(BRIGHTNESS_SETTING, brightnessPercent);
      this.#write(SLEEP_SETTING, sleepAfterS);
      this.#write(UPDATES_SETTING, updates);
      this.#write(UTC_OFFSET_SETTING, utcOffset);
    } finally {
      this.onChange?.();
    }
  }

  #write(path: string, value: string | number | undefined): void {
    if (value !== undefined) this.#settings.write(path, `${value}`);
  }
}

function check(
  { startApp, brightnessPercent, sleepAfterS, updates, utcOffset }: Choice,
  { hasHomeScreen }: BuildFacts,
): void {
  if (startApp !== undefined && !isStartApp(startApp))
    throw new Fault("bad_parameter", `${quoted(startApp)} is not a valid app name`);
  checkRange("brightness_percent", brightnessPercent, LEAST_BRIGHTNESS, FULL_BRIGHTNESS);
  checkRange("sleep_after_s", sleepAfterS, 0, LONGEST_SLEEP_S);
  if (updates === "ask_all" && !hasHomeScreen)
    throw new Fault(
      "bad_parameter",
      'A console without a home screen cannot ask: "updates" takes no "ask_all"',
    );
  if (updates !== undefined && !UPDATES.includes(updates))
    throw new Fault("bad_parameter", `Parameter "updates" must be "ask", "ask_all" or "automatic"`);
  if (utcOffset !== undefined && minutesOf(utcOffset) === undefined)
    throw new Fault(
      "bad_parameter",
      'Parameter "utc_offset" must be like "+02:00", from "-12:00" to "+14:00"',
    );
}

function isStartApp(name: string): boolean {
  return name === "" || name === LAST_APP || isAppName(name);
}

function minutesOf(offset: string): number | undefined {
  const [, sign, hours, minutes] = UTC_OFFSET.exec(offset) ?? [];
  if (sign === undefined) return undefined;
  const ahead = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return ahead < MOST_BEHIND_MIN || ahead > MOST_AHEAD_MIN ? undefined : ahead;
}

function checkRange(name: string, value: number | undefined, least: number, most: number): void {
  if (value !== undefined && (value < least || value > most))
    throw new Fault("bad_parameter", `Parameter "${name}" takes ${least} to ${most}`);
}

interface RequiredServices {
  readonly preferences: Preferences;
}

export function showPreferences({ preferences }: RequiredServices): JsonAnswer {
  return { status: 200, body: preferences.body };
}

/** @throws {Fault} `bad_parameter`, `storage_full` */
export function changePreferences({ preferences }: RequiredServices, call: Call): JsonAnswer {
  const { parameters } = call;
  preferences.change({
    startApp: parameters.text("start_app"),
    brightnessPercent: parameters.integer("brightness_percent"),
    sleepAfterS: parameters.integer("sleep_after_s"),
    updates: parameters.text("updates"),
    utcOffset: parameters.text("utc_offset"),
  });
  return { status: 200, body: preferences.body };
}
