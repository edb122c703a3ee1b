import type { Answer } from "./request.js";

/** Releases an answer that can no longer be delivered: it counts as sent, and what it announces still happens. */
export function abandonAnswer(answer: Answer): void {
  if ("stream" in answer) answer.stream.close();
  answer.onSent?.();
}
