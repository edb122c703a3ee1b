/** What the list of apps says about one of them, and how it says it in words. */
import { ask } from "./api";
import { ExitReason, exitReasonOf } from "./apps";
import { json } from "./json";
import { Text } from "./text";
import {
  CAPABILITY_APPS,
  CAPABILITY_BLUETOOTH,
  CAPABILITY_DISPLAY,
  CAPABILITY_NETWORK,
  CAPABILITY_READ_PINS,
  CAPABILITY_READ_STORAGE,
  CAPABILITY_SET_PINS,
  CAPABILITY_SOUND,
  CAPABILITY_STORE,
  ENDED,
  ENDED_HOST_ERROR,
  ENDED_QUOTA,
  ENDED_STOPPED,
  ENDED_TRAP,
  ENDED_WITH,
  NEVER_RAN,
} from "./texts";

class AppDescription {
  readonly name: Text = new Text(32);
  readonly version: Text = new Text(16);
  readonly author: Text = new Text(128);
  readonly description: Text = new Text(384);
  sizeBytes: i64 = 0;
  /** In words, one after another. */
  readonly capabilities: Text = new Text(220);
  /** Whether the user lets it run in the background. */
  isAllowedBehind: bool = false;
  reason: ExitReason = ExitReason.NONE;
  exitCode: i64 = 0;
  readonly exitMessage: Text = new Text(160);

  clear(): void {
    this.name.clear();
    this.version.clear();
    this.author.clear();
    this.description.clear();
    this.sizeBytes = 0;
    this.capabilities.clear();
    this.isAllowedBehind = false;
    this.reason = ExitReason.NONE;
    this.exitCode = 0;
    this.exitMessage.clear();
  }
}

export const about = new AppDescription();
const word = new Text(24);

/** Reads the description of the app of that name into `about`, which is empty if there is no such app. */
export function readDescription(name: Text): bool {
  about.clear();
  if (!ask("GET /api/apps/list") || !json.enterArray()) return false;
  while (json.nextElement()) {
    readEntry();
    if (about.name.equals(name)) return true;
  }
  about.clear();
  return false;
}

/** How the last run ended, as the end of a sentence. */
export function writeExit(into: Text): Text {
  if (about.reason === ExitReason.NONE) return into.put(NEVER_RAN);
  if (about.reason === ExitReason.EXIT)
    return about.exitCode === 0 ? into.put(ENDED) : into.put(ENDED_WITH).putNumber(about.exitCode);
  if (about.reason === ExitReason.STOPPED) return into.put(ENDED_STOPPED);
  if (about.reason === ExitReason.QUOTA) into.put(ENDED_QUOTA);
  else into.put(about.reason === ExitReason.TRAP ? ENDED_TRAP : ENDED_HOST_ERROR);
  return about.exitMessage.length > 0 ? into.put(": ").putText(about.exitMessage) : into;
}

function readEntry(): void {
  about.clear();
  if (!json.enterObject()) return;
  while (json.nextMember()) {
    if (json.isNamed("name")) json.readText(about.name);
    else if (json.isNamed("version")) json.readText(about.version);
    else if (json.isNamed("author")) json.readText(about.author);
    else if (json.isNamed("description")) json.readText(about.description);
    else if (json.isNamed("size_bytes")) about.sizeBytes = json.readInteger();
    else if (json.isNamed("capabilities")) readCapabilities();
    else if (json.isNamed("background")) about.isAllowedBehind = json.readFlag();
    else if (json.isNamed("last_exit")) readLastExit();
  }
}

function readCapabilities(): void {
  if (!json.enterArray()) return;
  while (json.nextElement()) {
    if (!json.readText(word)) continue;
    if (about.capabilities.length > 0) about.capabilities.put(", ");
    writeCapability();
  }
}

/** A capability that is not known here has its name. */
function writeCapability(): void {
  const into = about.capabilities;
  if (word.is("display.write")) into.put(CAPABILITY_DISPLAY);
  else if (word.is("gpio.read")) into.put(CAPABILITY_READ_PINS);
  else if (word.is("gpio.write")) into.put(CAPABILITY_SET_PINS);
  else if (word.is("storage.read")) into.put(CAPABILITY_READ_STORAGE);
  else if (word.is("storage.write")) into.put(CAPABILITY_STORE);
  else if (word.is("network.use")) into.put(CAPABILITY_NETWORK);
  else if (word.is("ble.use")) into.put(CAPABILITY_BLUETOOTH);
  else if (word.is("app.control")) into.put(CAPABILITY_APPS);
  else if (word.is("sound.play")) into.put(CAPABILITY_SOUND);
  else into.putText(word);
}

function readLastExit(): void {
  if (!json.enterObject()) return;
  while (json.nextMember()) {
    if (json.isNamed("reason")) {
      word.clear();
      json.readText(word);
      about.reason = exitReasonOf(word);
    } else if (json.isNamed("code")) about.exitCode = json.readInteger();
    else if (json.isNamed("message")) json.readText(about.exitMessage);
  }
}
