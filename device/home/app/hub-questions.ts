/**
 * What the hub has ordered, or somebody wants of the owner's keys, and the user decides: a card for each, which comes by
 * itself once. What was put off waits on the page of the hub.
 */
import { call, request } from "./api";
import { Card, cardText, tellFailure } from "./card";
import { firmwarePage, updateBegins } from "./firmware-page";
import { json } from "./json";
import { QUESTIONS as PART } from "./parts";
import { closeScreen, isAtHome, openScreen, topScreen } from "./screen";
import { hub, want } from "./state";
import { Text } from "./text";
import {
  FIRMWARE_INSTALL,
  FIRMWARE_LATER,
  FIRMWARE_OFFER,
  FIRMWARE_OFFERED,
  FORGET,
  KEY_ADD,
  KEY_ADD_QUESTION,
  KEY_EFFECT,
  KEY_FORGET_QUESTION,
  PUBLISHED_BY,
  QUESTION_APP,
  QUESTION_FROM,
  REFUSE,
  UNINSTALL,
  UNINSTALL_EFFECT,
  UNINSTALL_QUESTION,
} from "./texts";

/** As many as the console asks at a time, and more: docs/spec/device-hub.md#questions-limit. */
const SHOWN_LIMIT = 8;

/** A kind, and 64 characters. */
const ID_LIMIT = 76;
const GROUP_DIGITS = 4;

class Question {
  readonly id: Text = new Text(ID_LIMIT);
  readonly kind: Text = new Text(12);
  /** Of an app, or the digits of a key. */
  readonly name: Text = new Text(64);
  readonly version: Text = new Text(16);
  sizeBytes: i64 = 0;
  readonly publisher: Text = new Text(48);
}

/** The next one that was not shown; without an id, there is none. */
const next = new Question();
/** The one on the card. */
const askedId = new Text(ID_LIMIT);
let isAskedWaiting: bool = false;
let isFirmware: bool = false;
let isKey: bool = false;
let count: i32 = 0;
/** Hashes of the ids that were shown, the oldest first. */
const shown = new StaticArray<u32>(SHOWN_LIMIT);
let shownCount: i32 = 0;
/** The user wants to see them now, wherever that is. */
let isWanted: bool = false;

const card = new Card();

/** How many wait. */
export function questionCount(): i32 {
  return count;
}

/** Reads the answer of `/api/hub/questions`. */
export function readQuestions(): bool {
  if (!json.enterObject()) return false;
  count = 0;
  next.id.clear();
  isAskedWaiting = false;
  while (json.nextMember()) if (json.isNamed("questions")) readList();
  return true;
}

function readList(): void {
  if (!json.enterArray()) return;
  while (json.nextElement()) {
    const id = next.id.length === 0 ? readNext() : readLater();
    if (id.length === 0) continue;
    count++;
    if (id.equals(askedId)) isAskedWaiting = true;
    if (id === next.id && wasShown(id)) id.clear();
  }
}

/** @returns its id; empty for what is no question */
function readNext(): Text {
  next.kind.clear();
  next.name.clear();
  next.version.clear();
  next.sizeBytes = 0;
  next.publisher.clear();
  if (json.enterObject())
    while (json.nextMember()) {
      if (json.isNamed("id")) json.readText(next.id);
      else if (json.isNamed("kind")) json.readText(next.kind);
      else if (json.isNamed("name")) json.readText(next.name);
      else if (json.isNamed("version")) json.readText(next.version);
      else if (json.isNamed("size_bytes")) next.sizeBytes = json.readInteger();
      else if (json.isNamed("publisher")) json.readText(next.publisher);
    }
  return next.id;
}

/** @returns its id, in the buffer of the request, which has been sent */
function readLater(): Text {
  request.clear();
  if (json.enterObject()) while (json.nextMember()) if (json.isNamed("id")) json.readText(request);
  return request;
}

function wasShown(id: Text): bool {
  const hash = id.hash();
  for (let i = 0; i < shownCount; i++) if (shown[i] === hash) return true;
  return false;
}

function noteShown(id: Text): void {
  if (shownCount === SHOWN_LIMIT) {
    for (let i = 1; i < SHOWN_LIMIT; i++) shown[i - 1] = shown[i];
    shownCount--;
  }
  shown[shownCount++] = id.hash();
}

/** Closes the card of a question that was answered elsewhere, or that the hub has taken back. */
export function closeAnsweredQuestion(): void {
  if (topScreen() === card && !isAskedWaiting) closeScreen();
}

/** Shows all that wait again, those that were put off too. */
export function openQuestions(): void {
  shownCount = 0;
  isWanted = true;
  want(PART);
}

/** Opens the card of the next question, if there is one. @returns whether it does */
export function showQuestion(): bool {
  if (next.id.length === 0 || !(isAtHome() || isWanted)) return false;
  isWanted = false;
  noteShown(next.id);
  askedId.copy(next.id);
  isAskedWaiting = true;
  isFirmware = next.kind.is("firmware");
  const isRemoval = next.kind.is("uninstall");
  const isForgetting = next.kind.is("remove_key");
  isKey = isForgetting || next.kind.is("add_key");
  card.title = isFirmware ? FIRMWARE_OFFER : isRemoval ? UNINSTALL_QUESTION : QUESTION_APP;
  card.leave = FIRMWARE_LATER;
  card.act = isRemoval ? UNINSTALL : FIRMWARE_INSTALL;
  if (isKey) {
    card.title = isForgetting ? KEY_FORGET_QUESTION : KEY_ADD_QUESTION;
    card.act = isForgetting ? FORGET : KEY_ADD;
  }
  card.onAct = accept;
  card.refuse = REFUSE;
  card.onRefuse = decline;
  writeQuestion(isRemoval);
  next.id.clear();
  want(PART); // for the one after it
  openScreen(card);
  return true;
}

/** What it is, of whom, and who orders it. */
function writeQuestion(isRemoval: bool): void {
  const text = cardText.clear();
  if (isKey) {
    writeKey(text);
    if (card.act === FORGET) text.put(KEY_EFFECT);
    return;
  }
  if (isFirmware) text.putText(next.version);
  else text.putText(next.name);
  if (isRemoval) text.put(UNINSTALL_EFFECT);
  else {
    if (!isFirmware) text.putByte(0x20).putText(next.version);
    if (next.sizeBytes > 0) text.put(" (").putBytes(next.sizeBytes).putByte(0x29);
    if (next.publisher.length > 0) text.put(PUBLISHED_BY).putText(next.publisher);
    text.put(isFirmware ? FIRMWARE_OFFERED : ".");
  }
  text.put(QUESTION_FROM).putText(hub.url);
}

/** All digits in groups, to be compared with those that the other computer shows. */
function writeKey(text: Text): void {
  for (let i = 0; i < next.name.length; i++) {
    if (i > 0 && i % GROUP_DIGITS === 0) text.putByte(0x20);
    text.putByte(next.name.byte(i));
  }
}

function accept(): void {
  if (!answer("true") || !isFirmware) return;
  openScreen(firmwarePage);
  updateBegins();
}

function decline(): void {
  answer("false");
}

/** @returns whether the console has taken the answer */
function answer(accepted: string): bool {
  want(PART);
  request.clear().put("POST /api/hub/questions?id=").putEncoded(askedId).put("&accept=").put(accepted);
  if (call()) return true;
  tellFailure();
  return false;
}
