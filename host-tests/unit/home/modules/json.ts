/** The JSON reader as a module of its own, driven by the test: a function for each method. */
import { json } from "../../../../device/home/app/json";
import { send } from "../../../../device/home/app/request";
import { Text } from "../../../../device/home/app/text";

const text = new Text(4096);
const nothing = new Text(0);

export function begin(): void {
  send(nothing);
  json.begin();
}

export function enterObject(): bool {
  return json.enterObject();
}

export function enterArray(): bool {
  return json.enterArray();
}

export function nextMember(): bool {
  return json.nextMember();
}

export function nextElement(): bool {
  return json.nextElement();
}

export function isNamedName(): bool {
  return json.isNamed("name");
}

/** @returns the length of the text at `textAt`, or -1 for another value */
export function readText(): i32 {
  return json.readText(text) ? text.length : -1;
}

export function textAt(): usize {
  return text.at;
}

export function readInteger(): i64 {
  return json.readInteger(-7);
}

export function readFlag(): bool {
  return json.readFlag();
}

export function skip(): void {
  json.skip();
}

export function isComplete(): bool {
  return json.isComplete();
}
