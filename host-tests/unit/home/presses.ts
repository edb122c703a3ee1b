/** Presses of a user of the home screen, and what comes of them: what tests of several of its screens share. */
import type { ConsoleModel } from "./console-model.js";
import type { ButtonName, HomeHost, Script } from "./home-host.js";

export const times = (count: number, button: ButtonName): ButtonName[] =>
  Array.from({ length: count }, () => button);

/** Presses that open a row of the settings. */
export const setting = (row: number): ButtonName[] => ["select", ...times(row, "down"), "a"];

export const posts = (model: ConsoleModel) => model.requests.filter((request) => request.startsWith("POST"));

/** Types on the keyboard, whose cursor is on q, by the keys of its first page. */
export function* type(host: HomeHost, text: string): Script {
  const keys = "1234567890qwertyuiopasdfghjkl-zxcvbnm_.@";
  let at = 10;
  for (const letter of text) {
    const to = keys.indexOf(letter);
    const [row, column] = [Math.floor(to / 10) - Math.floor(at / 10), (to % 10) - (at % 10)];
    yield* host.press(...times(Math.abs(row), row < 0 ? "up" : "down"));
    yield* host.press(...times(Math.abs(column), column < 0 ? "left" : "right"), "a");
    at = to;
  }
}
