/** The alerts that come with the hub name metrics and labels that it has (docs/operations/alerts.yml). */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { World } from "../api/world.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";

const FILE = path.join(import.meta.dirname, "../../../docs/operations/alerts.yml");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly severity: string;
  readonly summary: string;
}

/** The file has one value a line, so that it needs no parser of YAML. */
function readRules(text: string): readonly Rule[] {
  return text
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((rule) => {
      const member = (name: string) => new RegExp(`^ +${name}: (.+)$`, "m").exec(rule)?.[1] ?? "";
      return {
        alert: rule.split("\n", 1)[0] ?? "",
        expr: member("expr"),
        severity: member("severity"),
        summary: member("summary"),
      };
    });
}

const rules = readRules(readFileSync(FILE, "utf8"));

/** Of PromQL, as far as the rules use it. */
const FUNCTIONS: ReadonlySet<string> = new Set(["sum", "max", "rate", "increase", "delta", "offset"]);

/** What Prometheus adds to each target. */
const OF_PROMETHEUS: ReadonlySet<string> = new Set(["up"]);
const TARGET_LABELS: ReadonlySet<string> = new Set(["job", "instance"]);

interface Selector {
  readonly metric: string;
  readonly labels: readonly (readonly [name: string, operator: string, value: string])[];
}

function selectorsIn(expr: string): readonly Selector[] {
  const plain = expr.replaceAll(/\[[0-9]+[smhd]\]|\boffset [0-9]+[smhd]/g, "");
  return [...plain.matchAll(/([a-z_][a-z0-9_]*)(?:\{([^}]*)\})?/g)]
    .filter(([, name = ""]) => !FUNCTIONS.has(name))
    .map(([, metric = "", labels = ""]) => ({
      metric,
      labels: [...labels.matchAll(/([a-z_]+)(=~|=)"([^"]*)"/g)].map(
        ([, name = "", operator = "", value = ""]) => [name, operator, value] as const,
      ),
    }));
}

describe("The alerts of a hub", () => {
  let hub: HubUnderTest;
  let metrics: readonly string[];
  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start();
    const world = await World.make(hub);
    await world.rollout();
    await request(hub.origin, "GET", "/devices/me");
    const { bytes } = await request(hub.origin, "GET", "//metrics");
    metrics = new TextDecoder().decode(bytes).split("\n");
  });
  afterAll(() => hub?.stop());

  test("are read", () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  for (const { alert, expr, severity, summary } of rules)
    test(`${alert} names metrics that the hub has`, () => {
      expect(["critical", "warning"]).toContain(severity);
      expect(summary).toMatch(/^".+"$/);
      const selectors = selectorsIn(expr);
      expect(selectors.length).toBeGreaterThan(0);
      for (const { metric, labels } of selectors) {
        if (OF_PROMETHEUS.has(metric)) continue;
        const lines = metrics.filter(
          (line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `),
        );
        expect([metric, lines.length > 0]).toEqual([metric, true]);
        for (const [name, operator, value] of labels) {
          if (TARGET_LABELS.has(name)) continue;
          const values = lines.map((line) => new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1]);
          // A pattern stands for values that a hub has only after failures, such as 500.
          if (operator === "=~") expect(values.some((each) => each !== undefined)).toBe(true);
          else expect(values).toContain(value);
        }
      }
    });
});
