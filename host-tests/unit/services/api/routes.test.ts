/** The routes of a console have what its table of endpoints says, without the texts of the reference. */
import { describe, expect, test } from "vitest";
import { ENDPOINTS, PARAMETER_NAMES, ROUTES } from "../../../../device/services/api/endpoints.js";

const rows = [...ROUTES.values()].flat();

describe("The routes", () => {
  test("have every endpoint once, at its path, with its handler", () => {
    expect(rows).toHaveLength(ENDPOINTS.length);
    for (const { summary: _summary, answer: _answer, parameters, ...endpoint } of ENDPOINTS) {
      const wanted = parameters?.map(({ summary: _, ...parameter }) => parameter);
      const found = ROUTES.get(endpoint.path)?.find(({ method }) => method === endpoint.method);
      expect(found).toEqual({ ...endpoint, ...(wanted && { parameters: wanted }) });
    }
  });

  test("have none of the texts", () => {
    const names = new Set(rows.flatMap((row) => [row, ...(row.parameters ?? [])]).flatMap(Object.keys));
    expect([...names]).not.toContain("summary");
    expect([...names]).not.toContain("answer");
  });

  test("share the parameters that endpoints share", () => {
    const named = rows.filter(({ path }) => /^\/api\/apps\/(start|stop|uninstall)$/.test(path));
    expect(named.length).toBeGreaterThan(1);
    expect(new Set(named.map(({ parameters }) => parameters?.[0])).size).toBe(1);
  });

  test("declare the parameters that USB reads", () => {
    const declared = ENDPOINTS.flatMap(({ parameters }) => parameters ?? []).map(({ name }) => name);
    expect(new Set(PARAMETER_NAMES)).toEqual(new Set(declared));
  });
});
