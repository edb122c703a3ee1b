/** What every key-value storage of a console does. */
import type { KeyValueDomain, KeyValueStorage } from "../../device/ports/key-value.js";
import { type ContractCase, equal, throws } from "./assert.js";

const LONGEST_VALUE = "v".repeat(3999);

export const KEY_VALUE_CONTRACT: readonly ContractCase<KeyValueStorage>[] = [
  {
    name: "a value that was written is read, and one that was not is undefined",
    run(storage) {
      const domain = open(storage, "svc/read");
      equal(domain.read("key"), undefined, "before");
      domain.write("key", "value");
      equal(domain.read("key"), "value", "after");
      equal(domain.read("other"), undefined, "of another key");
    },
  },
  {
    name: "a value is what was written last",
    run(storage) {
      const domain = open(storage, "svc/last");
      for (const value of ["first, and rather long", "second", ""]) {
        domain.write("key", value);
        equal(domain.read("key"), value);
      }
    },
  },
  {
    name: "a deleted value is gone, and deleting it again does nothing",
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
    name: "values are found again through another domain object of the same path",
    run(storage) {
      const first = open(storage, "svc/again");
      first.write("key", "value");
      first.close();
      equal(open(storage, "svc/again").read("key"), "value");
    },
  },
  {
    name: "a key belongs to its domain, whatever their names look like put together",
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
    name: "any characters make a key, and any but NUL a value",
    run(storage) {
      const domain = open(storage, "a b/ü.%2F");
      const keys = [".", "..", "../x", "/", "a/b", "a.new", "a", "%61", "ä", "\n", "A"];
      for (const [index, key] of keys.entries()) domain.write(key, `${index}: ${key} 日本 \u{1f600} "\\\r\n`);
      for (const [index, key] of keys.entries())
        equal(domain.read(key), `${index}: ${key} 日本 \u{1f600} "\\\r\n`);
    },
  },
  {
    name: "path and key have 1 to 15 characters",
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
    name: "a value has at most 3999 bytes, and a longer one changes nothing",
    run(storage) {
      const domain = open(storage, "svc/long");
      domain.write("key", LONGEST_VALUE);
      throws(() => domain.write("key", `${LONGEST_VALUE}x`), "a value of 4000 bytes");
      throws(() => domain.write("key", "ü".repeat(2000)), "a value of 4000 bytes and fewer characters");
      equal(domain.read("key"), LONGEST_VALUE);
    },
  },
  {
    name: "what is not a string is no value",
    run(storage) {
      const domain = open(storage, "svc/type");
      domain.write("key", "value");
      for (const value of [undefined, null, 1, true, {}])
        throws(() => domain.write("key", value as unknown as string), `writing ${value}`);
      equal(domain.read("key"), "value");
    },
  },
  {
    name: "an unknown format is refused",
    run(storage) {
      for (const format of ["uint8", "String", undefined])
        throws(() => storage.open({ path: "svc", format: format as "string" }), `the format ${format}`);
    },
  },
  {
    name: "a closed domain can be closed again and nothing else",
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
