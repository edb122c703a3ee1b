/** Notices to the user of the page, and how long each stays. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test, vi } from "vitest";
import { DeviceError } from "../../../../device-client/device-error.js";
import type { DeviceStatus, SystemInfo } from "../../../../protocol/device/answers.js";
import { AwayNotice, NoticeBoard } from "../../../../web/session/notices.js";
import type { SessionState } from "../../../../web/session/session.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const textsOf = (board: NoticeBoard) => board.notices.value.map(({ text }) => text);

test("a success disappears by itself, and an error stays until dismissed", () => {
  const board = new NoticeBoard();
  board.notify({ kind: "done", text: "Installed bricks" });
  const failure = board.notify({ kind: "failed", text: "Cannot start bricks" });
  vi.runAllTimers();
  assert.deepEqual(textsOf(board), ["Cannot start bricks"]);
  board.dismiss(failure);
  assert.deepEqual(textsOf(board), []);
});

test("a repeated notice is shown once and anew; the oldest is dropped for the newest", () => {
  const board = new NoticeBoard();
  for (const text of ["a", "b", "a"]) board.notify({ kind: "failed", text });
  assert.deepEqual(textsOf(board), ["b", "a"]);
  for (const text of ["c", "d", "e"]) board.notify({ kind: "failed", text });
  assert.deepEqual(textsOf(board), ["a", "c", "d", "e"]);
});

const system = { name: "Console-1A2B" } as SystemInfo;
const waiting: SessionState = {
  phase: "waiting",
  system,
  error: new DeviceError("device_lost", "The port is gone"),
};
const ready = { phase: "ready", system, status: {} as DeviceStatus } as unknown as SessionState;

function absence() {
  const board = new NoticeBoard();
  const watch = new AwayNotice(board);
  let state: SessionState = ready;
  const become = (next: SessionState) => {
    state = next;
    watch.follow(next, () => state);
  };
  return { board, become };
}

test("a console that is away for the time of a restart causes no notice", () => {
  const { board, become } = absence();
  become(waiting);
  vi.advanceTimersByTime(4900);
  become(ready);
  vi.runAllTimers();
  assert.deepEqual(textsOf(board), []);
});

test("a console that stays away causes one notice, with the newest reason, until it is back", () => {
  const { board, become } = absence();
  become(waiting);
  become({ phase: "waiting", system, error: new DeviceError("not_a_console", "Another console is there") });
  vi.advanceTimersByTime(20_000);
  assert.deepEqual(textsOf(board), ["Console-1A2B is away: Another console is there"]);
  assert.match(board.notices.value[0]?.advice ?? "", /Choose another port.*retries automatically/);
  become(ready);
  assert.deepEqual(textsOf(board), []);
});
