import { expect, test, vi } from "vitest";
import { newCommandIds } from "../../../../hub/commands/command-ids.js";

test("ids of commands are different UUIDs of version 7", () => {
  const ids = newCommandIds(1000);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(1000);
});

test("later ids are greater", () => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  try {
    const [earlier = ""] = newCommandIds(1);
    vi.advanceTimersByTime(1);
    const [later = ""] = newCommandIds(1);
    expect(earlier < later).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
