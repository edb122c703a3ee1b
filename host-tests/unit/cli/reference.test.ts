/** `docs/reference/svc.md`, as it is made from the table of commands (docs/spec/cli.md). */
import { expect, test } from "vitest";
import { COMMANDS } from "../../../cli/commands.js";
import { svcReference } from "../../../docs/svc-reference.js";

test("The reference lists the choices of every parameter and option that has some", () => {
  const lines = svcReference().split("\n");
  const taken = COMMANDS.flatMap(({ parameters, options }) => [...parameters, ...options]);
  const chosen = taken.flatMap(({ summary, choices }) =>
    choices ? [`${summary}; one of ${choices.join(", ")}`] : [],
  );
  expect(chosen).not.toEqual([]);
  for (const text of chosen) expect(lines).toContainEqual(expect.stringContaining(text));
});
