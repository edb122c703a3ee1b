/** Contract of every key-value storage of a console. */
import type { KeyValueDomain, KeyValueStorage } from "../../device/ports/key-value.js";
import { type ContractCase, equal, throws } from "./assert.js";

const LONGEST_VALUE = "v".repeat(3999);

export const KEY_VALUE_CONTRACT: readonly ContractCase<KeyValueStorage>[] = [
  {
    name: "read() returns a written value, and undefined for a missing key",
    run(storage) {
      const domain = open(storage, "svc/read");
      equal(domain.read("key"), undefined, "before");
      domain.write("key", "value");
      equal(domain.read("key"), "value", "after");
      equal(domain.read("other"), undefined, "of another key");
    },
  },
  {
    name: "read() returns the last written value",
    run(storage) {
      const domain = open(storage, "svc/last");
      for (const value of ["first, and rather long", "second", ""]) {
        domain.write("key", value);
        equal(domain.read("key"), value);
      }
    },
  },
  {
    name: "delete() removes a value; deleting a missing key does nothing",
    run(storage) {
      const domain = open(storage, "svc/delete");
      domain.write("key", "value");
      domain.delete("key");
      equal(domain.read("key"), undefined);
      domain.delete("key");
      domain.delete("never");
    },
  },
  {
    name: "a second domain object of the same path reads the values of the first",
    run(storage) {
      const first = open(storage, "svc/again");
      first.write("key", "value");
      first.close();
      equal(open(storage, "svc/again").read("key"), "value");
    },
  },
  {
    name: "keys of different domains are separate, even where path and key join to the same text",
    run(storage) {
      open(storage, "own").write("key", "1");
      open(storage, "own/key").write("key", "2");
      open(storage, "own2").write("key", "3");
      equal(open(storage, "own").read("key"), "1");
      equal(open(storage, "own/key").read("key"), "2");
      equal(open(storage, "own2").read("key"), "3");
      open(storage, "own").write("key/key", "4");
      equal(open(storage, "own/key").read("key"), "2");
    },
  },
  {
    name: "a key may hold any character, and a value any but NUL",
    run(storage) {
      const domain = open(storage, "a b/ü.%2F");
      const keys = [".", "..", "../x", "/", "a/b", "a.new", "a", "%61", "ä", "\n", "A"];
      for (const [index, key] of keys.entries()) domain.write(key, `${index}: ${key} 日本 \u{1f600} "\\\r\n`);
      for (const [index, key] of keys.entries())
        equal(domain.read(key), `${index}: ${key} 日本 \u{1f600} "\\\r\n`);
    },
  },
  {
    name: "paths and keys of 1 to 15 characters are accepted; an empty or longer one throws",
    run(storage) {
      const domain = open(storage, "path-of-15-char");
      domain.write("key-of-15-chars", "value");
      equal(domain.read("key-of-15-chars"), "value");
      for (const name of ["", "a name of 16 chs"]) {
        throws(() => open(storage, name), `the path "${name}"`);
        throws(() => domain.write(name, "value"), `writing "${name}"`);
        throws(() => domain.read(name), `reading "${name}"`);
        throws(() => domain.delete(name), `deleting "${name}"`);
      }
    },
  },
  {
    name: "write() accepts 3999 bytes, and rejects 4000 without changing the value",
    run(storage) {
      const domain = open(storage, "svc/long");
      domain.write("key", LONGEST_VALUE);
      throws(() => domain.write("key", `${LONGEST_VALUE}x`), "a value of 4000 bytes");
      throws(() => domain.write("key", "ü".repeat(2000)), "a value of 4000 bytes and fewer characters");
      equal(domain.read("key"), LONGEST_VALUE);
    },
  },
  {
    name: "write() rejects a value that is not a string",
    run(storage) {
      const domain = open(storage, "svc/type");
      domain.write("key", "value");
      for (const value of [undefined, null, 1, true, {}])
        throws(() => domain.write("key", value as unknown as string), `writing ${value}`);
      equal(domain.read("key"), "value");
    },
  },
  {
    name: "open() rejects an unknown format",
    run(storage) {
      for (const format of ["uint8", "String", undefined])
        throws(() => storage.open({ path: "svc", format: format as "string" }), `the format ${format}`);
    },
  },
  {
    name: "a closed domain rejects everything but close()",
    run(storage) {
      const domain = open(storage, "svc/close");
      domain.close();
      domain.close();
      throws(() => domain.read("key"), "read");
      throws(() => domain.write("key", "value"), "write");
      throws(() => domain.delete("key"), "delete");
    },
  },
];

function open(storage: KeyValueStorage, path: string): KeyValueDomain {
  return storage.open({ path, format: "string" });
}
