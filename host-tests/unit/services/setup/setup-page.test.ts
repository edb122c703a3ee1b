/** The HTML of the set-up page (docs/spec/setup.md#page). */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  escapeHtml,
  pagePiece,
  type SetupPageState,
  type SetupView,
} from "../../../../device/services/setup/setup-page.js";

const CHOOSING: SetupPageState = { phase: "choosing" };
const network = (ssid: string, secured = true) => ({ ssid, secured, rssi: -50, channel: 1 });

function page(view: Partial<SetupView>): string {
  const none = { networks: [], hasMore: false };
  const whole: SetupView = { name: "Console-1A2B", key: "the-key", state: CHOOSING, ...none, ...view };
  let html = "";
  for (let index = 0; ; index++) {
    const piece = pagePiece(whole, index);
    if (piece === undefined) return html;
    html += piece;
  }
}

/** Everything that is markup, without the texts and the values of attributes. */
const markupOf = (html: string) => html.replaceAll(/"[^"<>]*"/g, '""').replaceAll(/>[^<>]*</g, "><");

test("it lists the networks, and says which are open", () => {
  const html = page({ networks: [network("Home"), network("Café", false)] });
  expect(html).toContain('<option value="Home">Home</option><option value="Café">Café (open)</option>');
  expect(html).not.toContain("http-equiv");
});

test("after a failure it says why, and the network is still chosen", () => {
  const state = { phase: "choosing", problem: "No such network.", ssid: "Home" } as const;
  const html = page({ state, networks: [network("Home")] });
  expect(html).toContain('role="alert">No such network.</p>');
  expect(html).toContain('<option value="Home" selected>');
});

for (const [phase, text] of [
  ["looking", "looking for networks"],
  ["joining", "is joining “<bdi>Home</bdi>”"],
  ["joined", "has joined “<bdi>Home</bdi>”"],
] as const)
  test(`while it is ${phase}, it has no form, and loads itself again unless that is the end`, () => {
    const html = page({ state: { phase, ssid: "Home" }, networks: [network("Home")] });
    expect(html).toContain(text);
    expect(html).not.toContain("<form");
    expect(html.includes('http-equiv="refresh"')).toBe(phase !== "joined");
  });

test("no name, problem or key changes its markup", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 32 }),
    fc.string({
      unit: fc.constantFrom("<", ">", '"', "'", "&", "=", " ", "\n", "\0", "a", "/", "-"),
      maxLength: 32,
    }),
  );
  fc.assert(
    fc.property(text, text, text, (ssid, problem, key) => {
      const shapes: Partial<SetupView>[] = [
        { key, networks: [network(ssid)], state: { phase: "choosing", problem, ssid: "other" } },
        { state: { phase: "joining", ssid } },
        { state: { phase: "joined", ssid } },
      ];
      const harmless: Partial<SetupView>[] = [
        { key: "k", networks: [network("n")], state: { phase: "choosing", problem: "p", ssid: "other" } },
        { state: { phase: "joining", ssid: "n" } },
        { state: { phase: "joined", ssid: "n" } },
      ];
      fc.pre(ssid !== "other");
      expect(shapes.map((shape) => markupOf(page(shape)))).toEqual(
        harmless.map((shape) => markupOf(page(shape))),
      );
    }),
  );
});

test("escaped text has no character of markup and no control character", () => {
  expect(escapeHtml(`<a href='x'>"&\n\0\x7f\x9f`)).toBe(
    "&#60;a href=&#39;x&#39;&#62;&#34;&#38;\ufffd\ufffd\ufffd\ufffd",
  );
});
