/**
 * What the hub answers is what its OpenAPI description says, for requests made by chance from the description: a status that
 * it names, a body that fits its schema, never an internal error, and nothing at `error` in the log.
 */
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTier } from "../../tier.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { type Answer, request } from "../hosts/request.js";
import {
  type DescribedRequest,
  type Operation,
  requestOf,
  type Schema,
  withoutReferences,
} from "./described-requests.js";
import { World } from "./world.js";

const REQUESTS = inTier({ quick: 12, sample: 40, nightly: 500 });

/** They end the token that asks: each is asked with a token that ends nobody else's. */
const ENDS_ASKER = /^(post|delete) \/(account|publisher)(\/token)?$/;

interface Validator {
  readonly Check: (value: unknown) => boolean;
  readonly Errors: (value: unknown) => readonly object[];
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The description of ${name}`, () => {
    let hub: HubUnderTest;
    let world: World;
    let operations: readonly (readonly [string, string, Operation])[];
    let fault: Schema;
    let known: Readonly<Record<string, readonly string[]>>;
    beforeAll(async () => {
      hub = await start();
      world = await World.make(hub);
      const { body } = await request(hub.origin, "GET", "/openapi.json");
      const { schemas } = body.components;
      fault = schemas.Fault;
      const described: Record<string, Record<string, Operation>> = withoutReferences(body.paths, schemas);
      const paths = Object.entries(described);
      operations = paths.flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([method]) => method !== "servers")
          .map(([method, operation]) => [method, path, operation] as const),
      );
      const app = await world.appWithScreenshot();
      known = {
        id: [app],
        app_id: [app],
        number: ["1"],
        version: [await world.firmware(), "1.0.0"],
        device_id: [world.device.deviceId, "me"],
        command_id: [await world.command()],
        rollout_id: [await world.rollout()],
        webhook_id: [await world.webhook()],
        event_id: [await world.crash()],
        member_id: [await world.member()],
        token_id: [await world.program()],
      };
    });
    afterAll(() => hub.stop());

    const validators = new Map<object, Validator>();
    function requireFit(schema: Schema, value: unknown, what: string): void {
      const validator = validators.get(schema) ?? (Compile(schema as never) as unknown as Validator);
      validators.set(schema, validator);
      if (!validator.Check(value))
        expect.fail(
          `${what} does not fit: ${JSON.stringify(validator.Errors(value))} in ${JSON.stringify(value)}`,
        );
    }

    function requireDescribed({ responses }: Operation, answer: Answer, what: string): void {
      const { status, body } = answer;
      const described = responses[status];
      expect(described, `${what} was answered ${status}: ${JSON.stringify(body)}`).toBeDefined();
      expect(status, `${what}: ${JSON.stringify(body)}`).not.toBe(500);
      const schema = described?.content?.["application/json"]?.schema;
      if (status < 300 && schema) requireFit(schema, body, what);
      if (status < 400) return;
      requireFit(fault, body, what);
      const codes = (schema?.allOf ?? []).flatMap((part) => part.properties?.["error"]?.enum ?? []);
      expect(codes, what).toContain(body.error);
    }

    test("holds for requests made by chance, from each kind of caller", async () => {
      const { account, device, otherPublisher } = world;
      for (const [method, path, operation] of operations) {
        const ends = ENDS_ASKER.test(`${method} ${path}`);
        const tokens = ends ? [undefined] : [account.token, device.token, otherPublisher.token, undefined];
        const asked = fc.tuple(requestOf(path, operation, known), fc.constantFrom(...tokens));
        const ask = async ([made, token]: [DescribedRequest, string | undefined]) => {
          const options = { token, ...("json" in made && { json: made.json }) };
          const what = `${method.toUpperCase()} ${made.path} ${JSON.stringify(made.json)?.slice(0, 300)}`;
          requireDescribed(
            operation,
            await request(hub.origin, method.toUpperCase(), made.path, options),
            what,
          );
        };
        await fc.assert(fc.asyncProperty(asked, ask), { numRuns: REQUESTS });
      }
    }, 1_200_000);
  });
