import { expect, test } from "vitest";
import { PortSearch } from "../../../../web/connection/serial-ports.js";

const at = (port: string, arrival = 0) => ({ port, arrival });

test("A console is searched at its last port, whatever was plugged in since", () => {
  const search = new PortSearch("own");
  expect(search.next([at("other", 1), at("own")])).toBe("own");
  expect(search.next([at("other", 1), at("own")])).toBe("own");
});

test("A console is not searched while no port is present", () => {
  expect(new PortSearch("own").next([])).toBeUndefined();
});

test("The port that was plugged in last is tried first", () => {
  const search = new PortSearch("own");
  expect(search.next([at("other"), at("earlier", 1), at("latest", 2)])).toBe("latest");
});

test("A port that was tried without success is tried again after all others", () => {
  const search = new PortSearch("own");
  const there = [at("one"), at("two"), at("three")];
  const tried = Array.from({ length: 6 }, () => search.next(there));
  expect(tried).toEqual(["one", "two", "three", "one", "two", "three"]);
});

test("A port of another console is skipped until it is plugged in again", () => {
  const search = new PortSearch("own");
  expect(search.next([at("other")])).toBe("other");
  search.refused();
  expect(search.next([at("other")])).toBeUndefined();
  expect(search.next([at("other"), at("again", 1)])).toBe("again");
  search.refused();
  expect(search.next([at("other", 2), at("again", 1)])).toBe("other");
});

test("Of two consoles of one model, the one plugged in again is found, and the other one is opened at most once", () => {
  const search = new PortSearch("A");
  const opened = [search.next([at("B")])];
  search.refused();
  for (let attempt = 0; attempt < 3; attempt += 1) opened.push(search.next([at("B"), at("A again", 1)]));
  expect(opened).toEqual(["B", "A again", "A again", "A again"]);
});

test("Once found at another port, the console is searched there", () => {
  const search = new PortSearch("own");
  search.next([at("new", 1)]);
  search.found();
  expect(search.next([at("newer", 2), at("new", 1)])).toBe("new");
});

test("The console's own port is skipped if another console is connected to it", () => {
  const search = new PortSearch("own");
  search.next([at("own")]);
  search.refused();
  expect(search.next([at("own"), at("other")])).toBe("other");
});
