/**
 * The keys for apps that the owner has added. Choosing one asks the console to forget it; the question that it asks then is
 * one as over the network, which buttons of the network cannot answer.
 */
import { ask, askAbout } from "./api";
import { COLUMNS, drawString, MARGIN } from "./canvas";
import { tellFailure } from "./card";
import { openQuestions } from "./hub-questions";
import { json } from "./json";
import { Menu } from "./menu";
import { DIM } from "./palette";
import { QUESTIONS } from "./parts";
import { BODY_TOP, redraw } from "./screen";
import { Text } from "./text";
import { HUB_OFF, KEYS } from "./texts";

/** docs/spec/keys.md#owner-keys-limit */
const KEYS_LIMIT = 4;
/** What names a key, also in a request that removes it. */
const LABEL_DIGITS = 16;

/** The labels, one after the other. */
const labels = new Text(KEYS_LIMIT * LABEL_DIGITS);
const label = new Text(LABEL_DIGITS);

class KeysMenu extends Menu {
  title(): string {
    return KEYS;
  }

  override open(): void {
    super.open();
    if (ask("GET /api/keys/owner")) readKeys();
    else tellFailure();
  }

  override show(): void {
    if (ask("GET /api/keys/owner")) readKeys();
  }

  override changed(parts: i32): void {
    if ((parts & QUESTIONS) === 0) return;
    this.show();
    redraw();
  }

  count(): i32 {
    return labels.length / LABEL_DIGITS;
  }

  protected override drawHead(): void {
    if (this.count() === 0) drawString(MARGIN, BODY_TOP, DIM, HUB_OFF, COLUMNS);
  }

  writeRow(row: i32): void {
    for (let i = 0; i < LABEL_DIGITS; i++) this.label.putByte(labels.byte(row * LABEL_DIGITS + i));
  }

  choose(row: i32): void {
    this.label.clear();
    this.writeRow(row);
    label.copy(this.label);
    if (askAbout("POST /api/keys/owner?remove=true&key=", label)) openQuestions();
    else tellFailure();
  }
}

/** Reads the answer of `/api/keys/owner`. */
function readKeys(): void {
  labels.clear();
  if (!json.enterObject()) return;
  while (json.nextMember())
    if (json.isNamed("keys") && json.enterArray())
      while (json.nextElement())
        if (json.enterObject())
          while (json.nextMember())
            if (json.isNamed("key") && json.readText(label.clear())) labels.putText(label);
}

export const keysMenu: Menu = new KeysMenu();
