/** Whether a console has restarted between two readings of its uptime. */
import { expect, test } from "vitest";
import { RestartDetector } from "../../../device-client/heartbeat.js";

/** First look: answered at 1000 by the client's clock. */
const CASES = [
  { name: "keeps running", first: 60, sentAt: 3000, second: 2060, isRestart: false },
  {
    name: "keeps running with a clock that is 0.1 % slow",
    first: 60,
    sentAt: 601_000,
    second: 599_460,
    isRestart: false,
  },
  { name: "answers late", first: 60, sentAt: 3000, second: 9000, isRestart: false },
  { name: "restarts within 100 ms", first: 60, sentAt: 3000, second: 1960, isRestart: true },
  { name: "restarts just before the request", first: 50_000, sentAt: 3000, second: 3, isRestart: true },
  {
    name: "restarts and then runs for longer than before",
    first: 60,
    sentAt: 61_000,
    second: 59_000,
    isRestart: true,
  },
];

for (const { name, first, sentAt, second, isRestart } of CASES)
  test(`a console that ${name} ${isRestart ? "has" : "has not"} restarted`, () => {
    let nowMs = 1000;
    const detector = new RestartDetector({ uptimeMs: () => nowMs });
    expect(detector.hasRestarted({ uptime_ms: first }, 990)).toBe(false);
    nowMs = sentAt + 5;
    expect(detector.hasRestarted({ uptime_ms: second }, sentAt)).toBe(isRestart);
  });

test("an answer that is not a status is ignored", () => {
  const detector = new RestartDetector({ uptimeMs: () => 0 });
  for (const body of [undefined, null, {}, { uptime_ms: "5" }])
    expect(detector.hasRestarted(body, 0)).toBe(false);
});
