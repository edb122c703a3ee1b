/** What is kept for as long as the page is open, once the console is another one. */
import { batch, signal } from "@preact/signals";
import { expect, test } from "vitest";
import { logViewOf } from "../../../../web/panels/logs/log-view.js";
import { type Picture, ScreenView } from "../../../../web/panels/screen/screen-view.js";
import { terminalOf } from "../../../../web/panels/shell/terminal.js";
import { type Session, watchForOther } from "../../../../web/session/session.js";

/** A session that connects to the given consoles. */
function played() {
  const mac = signal<string | undefined>(undefined);
  const state = signal<unknown>({ phase: "idle" });
  const log = signal<readonly string[]>([]);
  const logStart = signal(0);
  const parts = { mac, state, log, logStart, device: signal(undefined), status: signal(undefined) };
  const connect = (name: string) =>
    batch(() => {
      mac.value = name;
      state.value = { phase: "ready", system: { name, mac: name, features: ["shell"] } };
      logStart.value += log.value.length;
      log.value = [`1.000 I boot: ${name} is ready`];
    });
  return { session: parts as unknown as Session, connect };
}

test("Another console is reported, but not the first one or the same one again", () => {
  const { session, connect } = played();
  const told: unknown[] = [];
  watchForOther(session, () => told.push(session.mac.peek()));
  for (const name of ["A", "A", "B", "B", "A"]) connect(name);
  expect(told).toEqual(["B", "A"]);
});

test("A log paused on one console is live on another one", () => {
  const { session, connect } = played();
  connect("A");
  const view = logViewOf(session);
  view.pauseOrResume();
  view.leftAt.value = view.end.peek();
  connect("B");
  expect(view.isPaused.value).toBe(false);
  expect(view.leftAt.value).toBeUndefined();
  expect(view.text()).toBe("1.000 I boot: B is ready\n");
});

test("A log stays paused while the console is away", () => {
  const { session, connect } = played();
  connect("A");
  const view = logViewOf(session);
  view.pauseOrResume();
  connect("A");
  expect(view.isPaused.value).toBe(true);
});

test("The shell marks where another console begins", async () => {
  const { session, connect } = played();
  connect("A");
  const terminal = terminalOf(session);
  connect("B");
  expect(terminal.entries.value).toEqual([]);
  terminal.write("help");
  await terminal.enter();
  connect("C");
  expect(terminal.entries.value.at(-1)).toMatchObject({
    kind: "note",
    text: "From here on: C, which is another console",
  });
});

test("The picture of one console is not shown for another one", () => {
  const { session, connect } = played();
  connect("A");
  const view = new ScreenView(session);
  view.picture.value = {} as Picture;
  connect("A");
  expect(view.picture.value).toBeDefined();
  connect("B");
  expect(view.picture.value).toBeUndefined();
});
