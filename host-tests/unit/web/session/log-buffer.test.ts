/** The log of the page: bounded, and drawn once for many lines. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { LOG_LIMIT_LINES, LogBuffer } from "../../../../web/session/log-buffer.js";

/** A buffer whose animation frames the test triggers. */
function bufferAndPictures() {
  const due: (() => void)[] = [];
  const buffer = new LogBuffer((flush) => due.push(flush));
  return { buffer, due, draw: () => due.splice(0).forEach((flush) => void flush()) };
}

test("lines appear with the next animation frame, all of them at once", () => {
  const { buffer, due, draw } = bufferAndPictures();
  let changes = 0;
  buffer.lines.subscribe(() => changes++);
  for (const line of ["a", "b", "c"]) buffer.add(line);
  assert.equal(due.length, 1, "One picture was asked for");
  assert.deepEqual(buffer.lines.value, []);
  draw();
  assert.deepEqual(buffer.lines.value, ["a", "b", "c"]);
  assert.equal(changes, 2);
});

test("the oldest lines are dropped, and each line keeps its number", () => {
  const { buffer, draw } = bufferAndPictures();
  for (let number = 0; number < LOG_LIMIT_LINES + 10; number++) buffer.add(`line ${number}`);
  draw();
  buffer.add("the last");
  draw();
  assert.equal(buffer.lines.value.length, LOG_LIMIT_LINES);
  assert.equal(buffer.start.value, 11);
  assert.equal(buffer.lines.value[0], "line 11");
  assert.equal(buffer.lines.value.at(-1), "the last");
});

test("a cleared buffer is empty, including lines not yet drawn, and continues its numbers", () => {
  const { buffer, draw } = bufferAndPictures();
  buffer.add("a");
  draw();
  buffer.add("b");
  buffer.clear();
  draw();
  assert.deepEqual(buffer.lines.value, []);
  assert.equal(buffer.start.value, 1);
  buffer.add("c");
  draw();
  assert.deepEqual(buffer.lines.value, ["c"]);
  assert.equal(buffer.start.value, 1);
});
