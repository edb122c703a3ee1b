/** What is left of a worker's global scope (web/player/lock-down.ts); host-tests/browser/player looks into a real one. */
import { expect, test } from "vitest";
import { lockDown } from "../../../../web/player/lock-down.js";

test("takes away what is not on the list, wherever in the chain it is", () => {
  class Scope {
    get indexedDB() {
      return "storage";
    }
  }
  const scope = Object.assign(Object.create(Scope.prototype), {
    fetch() {},
    WebAssembly: {},
    Array,
    crypto: {},
    postMessage() {},
    somethingNew: 1,
  });
  lockDown(scope);
  expect(Object.keys(scope).sort()).toEqual(["Array", "WebAssembly", "crypto", "postMessage"]);
  expect("indexedDB" in scope).toBe(false);
  expect("toString" in scope).toBe(true);
});
