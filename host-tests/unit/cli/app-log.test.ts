import { describe, expect, test } from "vitest";
import { AppLog, readLine, saysEnded } from "../../../cli/apps/app-log.js";

/** What is shown of these lines, where the app was started between 5000 and 5010 after the first `before` of them. */
function shown(lines: readonly string[], before = 0): readonly string[] {
  const out: string[] = [];
  const log = new AppLog(({ line }) => out.push(line));
  log.name = "hello";
  for (const line of lines.slice(0, before)) log.push(line);
  log.begin(5000);
  const half = Math.ceil((lines.length - before) / 2) + before;
  for (const line of lines.slice(before, half)) log.push(line); // come before it is known when it has started
  log.until(5010);
  for (const line of lines.slice(half)) log.push(line);
  return out;
}

const OLD_RUN = ["5.005 I app/other: of another app", "99.000 I app/hello: of a run before"];
const OLD = ["4.999 I app/hello: of a start before"];
const START = '5.004 I apps: started "hello" 0.1.0';
const NEW = [
  "5.006 I app/hello: one",
  "7.000 W app/hello: two",
  '7.001 E apps: "hello" ended: trap: unreachable',
];

describe("From a console's log, svc app dev shows", () => {
  test("the app's lines from its start on", () => {
    const others = ['5.100 I apps: "hell" ended: exit 0', "5.200 I app/hell: no", "5.300 I boot: no", "junk"];
    expect(shown([START, ...NEW.slice(0, 1), ...others, ...NEW.slice(1)])).toEqual(NEW);
  });

  for (let before = 0; before <= 2; before++)
    test(`no kept line of an earlier run, with ${before} lines before the start`, () => {
      const kept = ["99.000 I app/hello: of a run before", ...OLD];
      expect(shown([...kept, START, ...NEW], before)).toEqual(NEW);
    });

  test("the app's lines after a restart, when time begins again", () => {
    const again = ["0.001 I boot: previous run ended here", "0.900 I app/hello: again"];
    expect(shown([START, ...NEW, ...again])).toEqual([...NEW, again[1]]);
  });

  test("nothing while the line of the start is missing, and all lines after a new start", () => {
    const out: string[] = [];
    const log = new AppLog(({ line }) => out.push(line));
    log.name = "hello";
    log.begin(5000);
    log.until(5001);
    for (const line of [...OLD_RUN, ...NEW]) log.push(line);
    expect(out).toEqual([]);
    log.begin(8000);
    log.until(8001);
    for (const line of NEW) log.push(line);
    expect(out).toEqual(NEW);
  });
});

test("readLine reads a line of docs/spec/logs.md#line-form, and nothing else", () => {
  expect(readLine("12.034 W a/b: c: d")).toMatchObject({
    timeMs: 12034,
    level: "W",
    source: "a/b",
    message: "c: d",
  });
  for (const line of ["", "12 W a: b", "12.034 X a: b", "12.034 W a"]) expect(readLine(line)).toBeUndefined();
});

test("a stopped app does not count as ended by itself", () => {
  const says = (line: string) => saysEnded(readLine(line) as NonNullable<ReturnType<typeof readLine>>);
  expect(says('1.000 I apps: "a" ended: stopped')).toBe(false);
  for (const reason of ["exit 0", "trap: unreachable", "quota", "host_error: x"])
    expect(says(`1.000 I apps: "a" ended: ${reason}`)).toBe(true);
  expect(says('1.000 I app/a: "a" ended: exit 0')).toBe(false);
});
