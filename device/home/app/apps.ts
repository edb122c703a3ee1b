/**
 * The installed apps, as the console lists them. The home screen also remembers how each of them had ended, so that it can tell
 * when one has ended badly, whoever has started it.
 */
import { raw } from "svc";
import { ask } from "./api";
import { json } from "./json";
import { answerHash } from "./request";
import { Text } from "./text";

const APPS_LIMIT = 64;

export enum ExitReason {
  /** The app has not run yet, or the console names a reason that is not known here. */
  NONE,
  EXIT,
  TRAP,
  STOPPED,
  QUOTA,
  HOST_ERROR,
}

export class App {
  readonly name: Text = new Text(32);
  isRunning: bool = false;
  hasIcon: bool = false;
  /** Of name and version: names an icon in the cache. */
  iconKey: u32 = 0;
  reason: ExitReason = ExitReason.NONE;
  /** Of its name and its last end. */
  endKey: u32 = 0;
  /** It has ended by a trap, for want of memory or by an error of the console, and no card has told so. */
  hasFailed: bool = false;

  copy(other: App): void {
    this.name.copy(other.name);
    this.isRunning = other.isRunning;
    this.hasIcon = other.hasIcon;
    this.iconKey = other.iconKey;
  }
}

const apps: StaticArray<App> = makeApps();
let count: i32 = 0;
/** Of the answer that `apps` is from; 0 makes the next one count, whatever it says. */
let listHash: u32 = 0;
/** Ends that were known before the list was read. */
const knownEnds = new StaticArray<u32>(APPS_LIMIT);
const knownHasFailed = new StaticArray<bool>(APPS_LIMIT);
let knownCount: i32 = 0;
/** Ends before it, such as those of earlier starts of the console, are not told. */
let followedSince: i64 = 0;
/** Uptime at the last end of the app that is read. */
let endedAt: i64 = 0;

const reason = new Text(12);
const version = new Text(16);
const text = new Text(8);

/** Tells of apps that end badly from now on. */
export function followEnds(): void {
  followedSince = raw.uptime_ms();
}

export function appCount(): i32 {
  return count;
}

export function appAt(index: i32): App {
  return apps[index];
}

/** The index of the app of that name, or -1. */
export function indexOfApp(name: Text): i32 {
  for (let i = 0; i < count; i++) if (apps[i].name.equals(name)) return i;
  return -1;
}

/** Reads the list. @returns whether it has changed */
export function refreshApps(): bool {
  if (!ask("GET /api/apps/list") || !json.enterArray()) return false;
  keepEnds();
  count = 0;
  while (json.nextElement()) {
    if (count === APPS_LIMIT) json.skip();
    else if (readApp(apps[count])) carryOver(apps[count++]);
  }
  const hash = json.isComplete() ? answerHash() : 0; // what came of an incomplete list stays until the next one
  const hasChanged = hash === 0 || hash !== listHash;
  listHash = hash;
  return hasChanged;
}

/** Until the next list. */
export function noteStarted(name: Text): void {
  const index = indexOfApp(name);
  if (index >= 0) apps[index].isRunning = true;
  listHash = 0;
}

export function noteStopped(name: Text): void {
  const index = indexOfApp(name);
  if (index >= 0) apps[index].isRunning = false;
  listHash = 0;
}

/** The next app that has ended badly, each time that it has; null if there is none. */
export function takeFailedApp(): App | null {
  for (let i = 0; i < count; i++) {
    const app = apps[i];
    if (!app.hasFailed) continue;
    app.hasFailed = false;
    return app;
  }
  return null;
}

export function exitReasonOf(word: Text): ExitReason {
  if (word.is("exit")) return ExitReason.EXIT;
  if (word.is("trap")) return ExitReason.TRAP;
  if (word.is("stopped")) return ExitReason.STOPPED;
  if (word.is("quota")) return ExitReason.QUOTA;
  return word.is("host_error") ? ExitReason.HOST_ERROR : ExitReason.NONE;
}

/** @returns whether it is an app: it has a name */
function readApp(app: App): bool {
  app.name.clear();
  app.isRunning = false;
  app.hasIcon = false;
  app.reason = ExitReason.NONE;
  app.hasFailed = false;
  endedAt = -1;
  version.clear();
  if (!json.enterObject()) return false;
  while (json.nextMember()) {
    if (json.isNamed("name")) json.readText(app.name);
    else if (json.isNamed("version")) json.readText(version);
    else if (json.isNamed("icon")) app.hasIcon = json.readFlag();
    else if (json.isNamed("state")) app.isRunning = json.readText(text) && text.is("running");
    else if (json.isNamed("last_exit")) app.reason = readReason();
  }
  app.iconKey = version.hash(app.name.hash());
  app.endKey = app.name.hash(u32(endedAt));
  return app.name.length > 0;
}

function readReason(): ExitReason {
  reason.clear();
  if (json.enterObject())
    while (json.nextMember()) {
      if (json.isNamed("reason")) json.readText(reason);
      else if (json.isNamed("at_ms")) endedAt = json.readInteger(-1);
    }
  return exitReasonOf(reason);
}

function keepEnds(): void {
  for (knownCount = 0; knownCount < count; knownCount++) {
    knownEnds[knownCount] = apps[knownCount].endKey;
    knownHasFailed[knownCount] = apps[knownCount].hasFailed;
  }
}

function carryOver(app: App): void {
  for (let i = 0; i < knownCount; i++)
    if (knownEnds[i] === app.endKey) {
      app.hasFailed = knownHasFailed[i];
      return;
    }
  app.hasFailed = isBad(app.reason) && endedAt >= followedSince && endedAt <= raw.uptime_ms();
}

export function isBad(reason: ExitReason): bool {
  return reason === ExitReason.TRAP || reason === ExitReason.QUOTA || reason === ExitReason.HOST_ERROR;
}

function makeApps(): StaticArray<App> {
  const made = new StaticArray<App>(APPS_LIMIT);
  for (let i = 0; i < APPS_LIMIT; i++) made[i] = new App();
  return made;
}
