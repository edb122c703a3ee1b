/** What the hub asks, in words. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { HubQuestion } from "../../../protocol/device/answers.js";
import { describeQuestion } from "../../../web/panels/firmware/question-words.js";

const QUESTIONS: readonly { readonly question: HubQuestion; readonly says: readonly string[] }[] = [
  {
    question: { id: "firmware", kind: "firmware", version: "0.2.0", size_bytes: 100 },
    says: ["firmware 0.2.0", "The hub wants to install firmware 0.2.0", "Install"],
  },
  {
    question: { id: "install-1", kind: "install", name: "tetris", version: "1.0.0", publisher: "Example" },
    says: ["tetris 1.0.0", "The hub wants to install tetris 1.0.0", "Install"],
  },
  {
    question: { id: "install-2", kind: "install", name: "tetris" },
    says: ["tetris", "The hub wants to install tetris", "Install"],
  },
  {
    question: { id: "uninstall-3", kind: "uninstall", name: "tetris" },
    says: ["tetris", "The hub wants to uninstall tetris", "Uninstall"],
  },
];
for (const { question, says } of QUESTIONS)
  test(`the question ${question.id} is "${says[1]}"`, () => {
    const { subject, title, action } = describeQuestion(question);
    assert.deepEqual([subject, title, action], says);
  });
