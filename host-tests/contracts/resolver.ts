/** Contract of every Resolver. No lookup needs a network: hosts answer `.invalid` themselves. */
import type { Resolver } from "../../protocol/ports/network.js";
import { type ContractCase, equal, throwsA } from "./assert.js";

export interface ResolverHost {
  readonly resolver: Resolver;
  pass(milliseconds: number): Promise<void>;
}

interface Found {
  readonly error: Error | undefined;
  readonly address: string | undefined;
}

const find = (resolver: Resolver, name: string) =>
  new Promise<Found>((resolve) => {
    resolver.resolve(name, (error, address) => resolve({ error, address }));
  });

export const RESOLVER_CONTRACT: readonly ContractCase<ResolverHost>[] = [
  {
    name: "a numeric address resolves to itself",
    async run({ resolver }) {
      for (const address of ["127.0.0.1", "192.0.2.7", "::1", "2001:db8::7"]) {
        const found = await find(resolver, address);
        equal(found.address, address, `address of "${address}"`);
        equal(found.error, undefined, "error");
      }
    },
  },
  {
    name: "a name resolves to its IPv4 address where it has both",
    async run({ resolver }) {
      for (const name of ["localhost", "LocalHost"])
        equal((await find(resolver, name)).address, "127.0.0.1", `address of "${name}"`);
    },
  },
  {
    name: "an unknown name fails with an error and no address (RFC 6761 §6.4)",
    async run({ resolver }) {
      const { error, address } = await find(resolver, "unknown.invalid");
      equal(error instanceof Error, true, "it is an error");
      equal(error?.message.startsWith('Cannot find "unknown.invalid"'), true, `message "${error?.message}"`);
      equal(address, undefined, "address");
    },
  },
  {
    name: "the callback runs once, after resolve() has returned",
    async run({ resolver, pass }) {
      let calls = 0;
      for (const name of ["127.0.0.1", "LocalHost"]) resolver.resolve(name, () => calls++);
      equal(calls, 0, "calls inside");
      for (let round = 0; round < 100 && calls < 2; round++) await pass(20);
      await pass(20);
      equal(calls, 2, "calls afterwards");
    },
  },
  {
    name: "20 concurrent lookups each get their own answer",
    async run({ resolver }) {
      const names = Array.from({ length: 20 }, (_, index) => (index % 2 ? "LocalHost" : `192.0.2.${index}`));
      const found = await Promise.all(names.map((name) => find(resolver, name)));
      found.forEach(({ address }, index) => {
        equal(address, index % 2 ? "127.0.0.1" : names[index], `address ${index}`);
      });
    },
  },
  {
    name: "resolve() throws a RangeError for an invalid name",
    run({ resolver }) {
      for (const name of ["", "x".repeat(254), "local\0host"])
        throwsA("RangeError", () => resolver.resolve(name, () => {}), `a name of ${name.length}`);
    },
  },
];
