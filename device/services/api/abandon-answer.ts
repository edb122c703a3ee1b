import type { Answer } from "./request.js";

/** Lets go of an answer that nobody can take any more: it counts as sent, and what it announces still happens. */
export function abandonAnswer(answer: Answer): void {
  if ("stream" in answer) answer.stream.close();
  answer.onSent?.();
}
