/**
 * Starts the user's app with the console, and the home screen in its place once that app has failed three times in a row
 * (docs/spec/home.md#start). An attempt counts before it is made, so that an app which takes the console with it counts.
 */
import { isSameApp } from "../../../protocol/manifest/app-name.js";
import type { Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Logger } from "../logs/log-line.js";
import { LAST_APP, type Preferences } from "../preferences/preferences.js";
import { LAST_APP_SETTING, type Settings, START_TRIES_SETTING } from "../settings/settings.js";
import type { Apps } from "./apps.js";

const MOST_TRIES = 3;
const DIGIT = /^[0-9]$/;
/** An app that has run for so long has not failed. */
const PROVEN_MS = 60_000;

interface StartAppOptions {
  readonly apps: Pick<Apps, "start" | "has" | "isRunning" | "front" | "lastExit">;
  readonly preferences: Pick<Preferences, "startApp">;
  readonly settings: Settings;
  readonly timer: Timer;
  readonly logger: Logger;
}

export class StartApp {
  readonly #options: StartAppOptions;
  #proof: TimerHandle | undefined;
  /** The app that was started, until it has ended or proved itself. */
  #tried: string | undefined;

  constructor(options: StartAppOptions) {
    this.#options = options;
  }

  /** Starts the app, if one is chosen. Logs why it does not start. */
  begin(): void {
    const { apps, settings, logger, timer } = this.#options;
    const name = this.#chosen();
    if (name === "" || !apps.has(name)) return;
    const tries = this.#triesOf(name);
    if (tries >= MOST_TRIES)
      return void logger.warning(`"${name}" is not started: it has failed ${tries} times in a row`);
    try {
      settings.write(START_TRIES_SETTING, `${tries + 1} ${name}`);
      this.#tried = name;
      this.#proof = timer.set(() => this.#proved(), PROVEN_MS);
      apps.start(name, { isInFront: true, isByUser: true });
    } catch (error) {
      logger.warning(`"${name}" cannot be started: ${String(error)}`);
      this.close();
    }
  }

  /** To be called when an app has started, ended or come to the front, and when the user has chosen: keeps which one is there. */
  followApps(): void {
    const { apps, preferences, settings, logger } = this.#options;
    const { front = "" } = apps;
    try {
      if (preferences.startApp === LAST_APP) settings.write(LAST_APP_SETTING, front);
      if (this.#tried !== undefined && !isSameApp(this.#tried, front)) this.#left(this.#tried);
    } catch (error) {
      logger.warning(`cannot keep which app is in front: ${String(error)}`);
    }
  }

  /** The console ends: the app that is in front then is not left. */
  close(): void {
    this.#options.timer.clear(this.#proof);
    this.#proof = undefined;
    this.#tried = undefined;
  }

  #chosen(): string {
    const { preferences, settings } = this.#options;
    const { startApp } = preferences;
    return startApp === LAST_APP ? (settings.read(LAST_APP_SETTING) ?? "") : startApp;
  }

  /** The record is a number and the app that it counts: that of another app says nothing of this one. */
  #triesOf(name: string): number {
    const [tries, counted] = (this.#options.settings.read(START_TRIES_SETTING) ?? "").split(" ", 2);
    return counted === name && tries !== undefined && DIGIT.test(tries) ? Number(tries) : 0;
  }

  /** It is not in front any more: a user has left it, or it has ended, well or not. */
  #left(name: string): void {
    const { apps } = this.#options;
    const reason = apps.isRunning(name) ? undefined : apps.lastExit(name); // that of a run before, while it runs
    const hasFailed = reason === "trap" || reason === "quota" || reason === "host_error";
    if (hasFailed) this.close();
    else this.#proved();
  }

  #proved(): void {
    this.#options.settings.delete(START_TRIES_SETTING);
    this.close();
  }
}
