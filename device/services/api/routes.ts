/**
 * What a console needs of the table of endpoints. It is made once, while the modules run, which on a board is when the
 * firmware is linked: the texts of the reference are not in flash, and the routes are not in the heap.
 */
import type { Parameter } from "./call.js";
import type { Endpoint, Route } from "./endpoint.js";

/** Routes by path; those of a path differ in their method. */
export type Routes = ReadonlyMap<string, readonly Route[]>;

export function routesOf(endpoints: readonly Endpoint[]): Routes {
  const routes = new Map<string, Route[]>();
  /** Parameters that endpoints share, and their lists, are shared by the routes. */
  const parameters = new Map<Parameter, Parameter>();
  const lists = new Map<readonly Parameter[], readonly Parameter[]>();
  const parameterOf = (declared: Parameter) => once(parameters, declared, withoutText);
  const listOf = (list: readonly Parameter[]) =>
    once(lists, list, () => Object.freeze(list.map(parameterOf)));
  for (const { summary: _summary, answer: _answer, ...route } of endpoints) {
    const row = Object.freeze(
      route.parameters ? { ...route, parameters: listOf(route.parameters) } : route,
    ) as Route;
    const rows = routes.get(row.path);
    if (rows) rows.push(row);
    else routes.set(row.path, [row]);
  }
  return routes;
}

function withoutText({ name, type, isRequired }: Parameter): Parameter {
  return Object.freeze(isRequired === undefined ? { name, type } : { name, type, isRequired });
}

function once<Key, Value>(made: Map<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const known = made.get(key);
  if (known !== undefined) return known;
  const value = make(key);
  made.set(key, value);
  return value;
}
