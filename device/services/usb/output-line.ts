/** What the console writes over USB, a line each (docs/spec/usb.md#answer). */
import type { Json } from "../../../protocol/json-value.js";
import type { Base64 } from "../../../protocol/ports/bytes.js";
import type { BinaryAnswer, JsonAnswer } from "../api/request.js";

/** The line of an answer (docs/spec/usb.md#answer-or-event). @param id the request's, `null` where it could not be read */
export function answerLine(id: number | null, answer: JsonAnswer | BinaryAnswer, base64: Base64): string {
  const { status } = answer;
  return `{"jsonrpc":"2.0","id":${id},"status":${status},"body":${bodyText(answer, base64)}}\n`;
}

/** Everything before the body. */
export function answerStart(id: number | null, { status }: { readonly status: number }): string {
  return `{"jsonrpc":"2.0","id":${id},"status":${status},"body":`;
}

export function eventLine(event: "log" | "status", data: Json): string {
  return `{"jsonrpc":"2.0","id":null,"event":"${event}","data":${JSON.stringify(data)}}\n`;
}

function bodyText(answer: JsonAnswer | BinaryAnswer, base64: Base64): string {
  if ("body" in answer) return JSON.stringify(answer.body);
  return `{${JSON.stringify(answer.field)}:"${base64.encode(answer.bytes)}"}`;
}
