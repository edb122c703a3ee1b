/**
 * What the home screen knows of its console. Each part is read with one request, when it may have changed: `want` marks
 * parts, and `refreshNext` reads one of them, so that no turn of the main loop has more than one request. A part that
 * cannot be read stays as it was.
 */
import { ask, isBusy } from "./api";
import { refreshApps } from "./apps";
import { readQuestions } from "./hub-questions";
import { json } from "./json";
import { APPS, FIRMWARE, HUB, QUESTIONS, SETTINGS, SETUP, STATUS, SYSTEM, WIFI } from "./parts";
import { answerHash } from "./request";
import { Text } from "./text";

const PARTS = 9;
const RETRY_MS = 1000;

const word = new Text(8);

let wanted: i32 = 0;
let retryAt: i64 = 0;
const hashes = new StaticArray<u32>(PARTS);

class Status {
  readonly address: Text = new Text(40);
  rssi: i32 = 0;
  freeBytes: i64 = 0;
}

class Hub {
  readonly url: Text = new Text(128);
  isConnected: bool = false;
  /** Empty once an account has claimed the console. */
  readonly claimCode: Text = new Text(32);
}

class Firmware {
  readonly state: Text = new Text(16);
  readonly version: Text = new Text(16);
  readonly slot: Text = new Text(2);
  readonly stagedVersion: Text = new Text(16);
  readonly availableVersion: Text = new Text(16);
  progressPercent: i32 = 0;
  /** Uptime at which a trial ends; 0 without one. */
  confirmUntil: i64 = 0;
  readonly result: Text = new Text(16);
  readonly resultMessage: Text = new Text(160);

  isOnTrial(): bool {
    return this.state.is("pending_confirm");
  }
}

class Wifi {
  readonly state: Text = new Text(16);
  readonly ssid: Text = new Text(32);
  readonly reason: Text = new Text(16);
  /** The console's own sentence, for a reason that is not known here. */
  readonly message: Text = new Text(128);
}

class Settings {
  /** Empty: the home screen; `*`: the last app; or an app's name. */
  readonly startApp: Text = new Text(32);
  brightnessPercent: i32 = 100;
  sleepAfterSeconds: i32 = 0;
  readonly updates: Text = new Text(12);
}

export enum SetupPhase {
  OPEN,
  JOINING,
  JOINED,
  /** It was closed, or is not there. */
  CLOSED,
  CLOSED_BY_JOINING,
  CLOSED_BY_TIME,
}

/** The set-up access point. */
class Setup {
  phase: SetupPhase = SetupPhase.CLOSED;
  readonly ssid: Text = new Text(32);
  readonly password: Text = new Text(16);
  readonly page: Text = new Text(32);
  clients: i32 = 0;
  /** Whether the last network was not joined; `wifi.reason` is why. */
  hasFailed: bool = false;

  isClosed(): bool {
    return this.phase >= SetupPhase.CLOSED;
  }
}

class System {
  readonly name: Text = new Text(32);
  hasSetup: bool = false;
  readonly board: Text = new Text(32);
  storageTotalBytes: i64 = 0;
  storageFreeBytes: i64 = 0;
  isUsbConnected: bool = false;
  httpPort: i32 = 0;
  /** App files on the SD card at the start, -1 without a card. */
  cardFiles: i32 = -1;
  cardRefused: i32 = 0;
  hasMoreCardFiles: bool = false;
}

export const status = new Status();
export const hub = new Hub();
export const firmware = new Firmware();
export const wifi = new Wifi();
export const settings = new Settings();
export const system = new System();
export const setup = new Setup();

export function want(parts: i32): void {
  wanted |= parts;
}

/** Reads one part that is wanted. @returns the part if it has changed, else 0 */
export function refreshNext(now: i64): i32 {
  if (wanted === 0 || now < retryAt) return 0;
  const index = ctz(wanted);
  const part = 1 << index;
  wanted &= ~part;
  const hasChanged = refresh(part, now);
  if (isBusy()) {
    wanted |= part;
    retryAt = now + RETRY_MS;
    return 0;
  }
  if (part === APPS) return hasChanged ? part : 0;
  const hash = hasChanged ? hashOf(part) : hashes[index];
  if (hashes[index] === hash) return 0;
  hashes[index] = hash;
  return part;
}

/** Of what a screen shows: signal strength, free memory and time change all the while. */
function hashOf(part: i32): u32 {
  if (part === STATUS) return status.address.hash();
  if (part === WIFI) return wifi.reason.hash(wifi.ssid.hash(wifi.state.hash()));
  if (part === SYSTEM) return (u32(system.storageFreeBytes) << 1) | u32(system.isUsbConnected);
  if (part === SETUP) return u32((setup.clients << 4) | (setup.phase << 1) | i32(setup.hasFailed));
  return answerHash();
}

/** @returns whether there was an answer */
function refresh(part: i32, now: i64): bool {
  if (part === STATUS) return ask("GET /api/status") && readStatus();
  if (part === APPS) return refreshApps();
  if (part === FIRMWARE) return ask("GET /api/ota/status") && readFirmware(now);
  if (part === HUB) return ask("GET /api/hub") && readHub();
  if (part === WIFI) return ask("GET /api/wifi") && readWifi();
  if (part === SETTINGS) return ask("GET /api/settings") && readSettings();
  if (part === QUESTIONS) return ask("GET /api/hub/questions") && readQuestions();
  if (part === SETUP) return ask("GET /api/wifi/setup") && readSetup();
  return ask("GET /api/system") && readSystem();
}

function readStatus(): bool {
  if (!json.enterObject()) return false;
  while (json.nextMember()) {
    if (json.isNamed("wifi_ip")) json.readText(status.address);
    else if (json.isNamed("wifi_rssi")) status.rssi = i32(json.readInteger());
    else if (json.isNamed("free_heap_bytes")) status.freeBytes = json.readInteger();
  }
  return true;
}

/** Also reads the answer of `POST /api/hub`. */
export function readHub(): bool {
  if (!json.enterObject()) return false;
  hub.claimCode.clear();
  hub.isConnected = false;
  while (json.nextMember()) {
    if (json.isNamed("url")) json.readText(hub.url);
    else if (json.isNamed("connected")) hub.isConnected = json.readFlag();
    else if (json.isNamed("claim_code")) json.readText(hub.claimCode);
  }
  return true;
}

/** Also reads the answers of `POST /api/ota/…`, which are the same. */
export function readFirmware(now: i64): bool {
  if (!json.enterObject()) return false;
  firmware.stagedVersion.clear();
  firmware.availableVersion.clear();
  firmware.result.clear();
  firmware.resultMessage.clear();
  firmware.confirmUntil = 0;
  while (json.nextMember()) {
    if (json.isNamed("state")) json.readText(firmware.state);
    else if (json.isNamed("running_version")) json.readText(firmware.version);
    else if (json.isNamed("running_slot")) json.readText(firmware.slot);
    else if (json.isNamed("staged_version")) json.readText(firmware.stagedVersion);
    else if (json.isNamed("progress_percent")) firmware.progressPercent = i32(json.readInteger());
    else if (json.isNamed("confirm_within_ms")) firmware.confirmUntil = now + json.readInteger();
    else if (json.isNamed("available")) readAvailable();
    else if (json.isNamed("last_result")) readResult();
  }
  return true;
}

function readAvailable(): void {
  if (!json.enterObject()) return;
  while (json.nextMember()) if (json.isNamed("version")) json.readText(firmware.availableVersion);
}

function readResult(): void {
  if (!json.enterObject()) return;
  while (json.nextMember()) {
    if (json.isNamed("result")) json.readText(firmware.result);
    else if (json.isNamed("message")) json.readText(firmware.resultMessage);
    else if (json.isNamed("error") && firmware.resultMessage.length === 0)
      json.readText(firmware.resultMessage);
  }
}

/** Also reads the answer of `POST /api/wifi`. */
export function readWifi(): bool {
  if (!json.enterObject()) return false;
  wifi.ssid.clear();
  wifi.reason.clear();
  wifi.message.clear();
  while (json.nextMember()) {
    if (json.isNamed("state")) json.readText(wifi.state);
    else if (json.isNamed("ssid")) json.readText(wifi.ssid);
    else if (json.isNamed("last_error")) readWifiError();
  }
  return true;
}

function readWifiError(): void {
  if (!json.enterObject()) return;
  while (json.nextMember()) {
    if (json.isNamed("reason")) json.readText(wifi.reason);
    else if (json.isNamed("message")) json.readText(wifi.message);
  }
}

/** Also reads the answer of `POST /api/wifi/setup`. */
export function readSetup(): bool {
  if (!json.enterObject()) return false;
  setup.phase = SetupPhase.CLOSED;
  setup.hasFailed = false;
  while (json.nextMember()) {
    if (json.isNamed("state")) readPhase();
    else if (json.isNamed("ended")) readEnd();
    else if (json.isNamed("ssid")) json.readText(setup.ssid);
    else if (json.isNamed("password")) json.readText(setup.password);
    else if (json.isNamed("page")) json.readText(setup.page);
    else if (json.isNamed("clients")) setup.clients = i32(json.readInteger());
    else if (json.isNamed("last_error")) {
      setup.hasFailed = true;
      json.skip();
    }
  }
  return true;
}

function readPhase(): void {
  json.readText(word.clear());
  if (word.is("open")) setup.phase = SetupPhase.OPEN;
  else if (word.is("joining")) setup.phase = SetupPhase.JOINING;
  else if (word.is("joined")) setup.phase = SetupPhase.JOINED;
}

/** Comes after the state, which is closed. */
function readEnd(): void {
  json.readText(word.clear());
  if (word.is("joined")) setup.phase = SetupPhase.CLOSED_BY_JOINING;
  else if (word.is("timeout")) setup.phase = SetupPhase.CLOSED_BY_TIME;
}

/** Also reads the answer of `POST /api/settings`. */
export function readSettings(): bool {
  if (!json.enterObject()) return false;
  while (json.nextMember()) {
    if (json.isNamed("start_app")) json.readText(settings.startApp);
    else if (json.isNamed("updates")) json.readText(settings.updates);
    else if (json.isNamed("brightness_percent"))
      settings.brightnessPercent = i32(json.readInteger(settings.brightnessPercent));
    else if (json.isNamed("sleep_after_s"))
      settings.sleepAfterSeconds = i32(json.readInteger(settings.sleepAfterSeconds));
  }
  return true;
}

function readSystem(): bool {
  if (!json.enterObject()) return false;
  while (json.nextMember()) {
    if (json.isNamed("name")) json.readText(system.name);
    else if (json.isNamed("board")) json.readText(system.board);
    else if (json.isNamed("storage")) readStorage();
    else if (json.isNamed("http_port")) system.httpPort = i32(json.readInteger());
    else if (json.isNamed("usb_connected")) system.isUsbConnected = json.readFlag();
    else if (json.isNamed("card_apps")) readCardApps();
    else if (json.isNamed("features")) readFeatures();
  }
  return true;
}

function readFeatures(): void {
  system.hasSetup = false;
  if (!json.enterArray()) return;
  while (json.nextElement()) if (json.readText(word) && word.is("setup_ap")) system.hasSetup = true;
}

function readCardApps(): void {
  if (!json.enterObject()) return;
  while (json.nextMember()) {
    if (json.isNamed("files")) system.cardFiles = i32(json.readInteger());
    else if (json.isNamed("refused")) system.cardRefused = i32(json.readInteger());
    else if (json.isNamed("more")) system.hasMoreCardFiles = json.readFlag();
  }
}

function readStorage(): void {
  if (!json.enterObject()) return;
  while (json.nextMember()) {
    if (json.isNamed("total_bytes")) system.storageTotalBytes = json.readInteger();
    else if (json.isNamed("free_bytes")) system.storageFreeBytes = json.readInteger();
  }
}
