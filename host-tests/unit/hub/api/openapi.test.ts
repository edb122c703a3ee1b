import { describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../../hub/api/endpoints.js";
import { faultsOf, openApi } from "../../../../hub/api/openapi.js";
import { FAULT_STATUS } from "../../../../protocol/fault.js";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** As a reader gets it. */
const description = JSON.parse(JSON.stringify(openApi(ENDPOINTS)));
const operations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = description.paths;

for (const row of ENDPOINTS)
  describe(`The description of ${row.method} ${row.path}`, () => {
    const path = row.path.replaceAll(/:([a-z_]+)/g, "{$1}");
    const operation = operations[path]?.[row.method.toLowerCase()] as Operation;

    test("has a text", () => {
      expect(operation.summary).toMatch(/^[A-Z]/);
    });

    test("names each part of the path, and each query parameter", () => {
      const inPath = operation.parameters?.filter((parameter) => parameter.in === "path") ?? [];
      const names = [...row.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name);
      expect(inPath.map(({ name }) => name).sort()).toEqual(names.sort());
      const inQuery = operation.parameters?.filter((parameter) => parameter.in === "query") ?? [];
      expect(inQuery.map(({ name }) => name)).toEqual(propertiesOf(row.query));
    });

    test("has its body in each accepted form", () => {
      const types = [row.body && "application/json", row.multipart && "multipart/form-data"].filter(Boolean);
      expect(Object.keys(operation.requestBody?.content ?? {})).toEqual(types);
    });

    test("has each answer, and each refusal under its status", () => {
      for (const status of Object.keys(row.answers)) expect(operation.responses).toHaveProperty(status);
      for (const code of faultsOf(row))
        expect(operation.responses[FAULT_STATUS[code]]?.description.split(", ")).toContain(code);
    });

    test("requires a token unless anyone may call it", () => {
      expect(operation.security.length > 0).toBe(row.access !== "anyone");
    });
  });

function propertiesOf(schema: unknown): string[] {
  return Object.keys((schema as { readonly properties?: object } | undefined)?.properties ?? {});
}

test("The description is OpenAPI 3.1 with the mandatory members", () => {
  expect(description.openapi).toMatch(/^3\.1\./);
  expect(description.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  expect(description.servers).toEqual([{ url: "/api/v1" }]);
});

test("The description has no dangling reference", () => {
  for (const [, pointer = ""] of JSON.stringify(description).matchAll(/"\$ref":"#\/([^"]+)"/g))
    expect(pointer.split("/").reduce((at, name) => at?.[name], description)).toBeDefined();
  const schemes = Object.keys(description.components.securitySchemes);
  for (const { security } of operationsOf())
    for (const name of security.flatMap(Object.keys)) expect(schemes).toContain(name);
});

test("The description names what programs keep, and gives no name to two schemas", () => {
  const schemas: Record<string, object> = description.components.schemas;
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(["Device", "Command", "App", "Rollout"]));
  const titled = ENDPOINTS.flatMap(({ answers }) => Object.values(answers)).flatMap(titledIn);
  expect(titled.length).toBeGreaterThan(Object.keys(schemas).length);
  const named = new Map(titled.map((schema) => [schema.title, schema]));
  for (const schema of titled) expect(schema).toEqual(named.get(schema.title));
  expect([...named.keys(), "Fault"].sort()).toEqual(Object.keys(schemas).sort());
});

/** As plain objects. */
function titledIn(part: unknown): { readonly title: string }[] {
  if (typeof part !== "object" || part === null) return [];
  const within = Object.values(part).flatMap(titledIn);
  return "title" in part && typeof part.title === "string"
    ? [JSON.parse(JSON.stringify(part)), ...within]
    : within;
}

test("The description has no operation id twice", () => {
  const ids = operationsOf().map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

function operationsOf(): readonly Operation[] {
  return Object.values(operations)
    .flatMap((path) => Object.values(path))
    .filter((member) => "operationId" in member);
}
