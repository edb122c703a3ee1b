/**
 * Makes arrow functions of a program's declared functions. XS gives each function that `new` could call a prototype, with a
 * `constructor` of its own: on a board 64 bytes each, and nothing calls them with `new`.
 */
import { type AnyNode, type FunctionDeclaration, type Program, parse } from "acorn";
import { childrenOf } from "./syntax-tree.js";

/**
 * Declared functions of the module that use neither `this`, `arguments` nor `new.target`. They come first, since
 * functions can be called before their declaration.
 * @param program an ES module
 * @returns a module of the same behaviour
 * @throws {Error} if the program calls such a function with `new`
 */
export function arrowFunctions(program: string): string {
  const tree = parse(program, { ecmaVersion: "latest", sourceType: "module" });
  const declared = tree.body.filter(
    (node): node is FunctionDeclaration => node.type === "FunctionDeclaration" && canBeArrow(node),
  );
  refuseNew(tree, new Set(declared.map(({ id }) => id.name)));
  let rest = "";
  let end = 0;
  for (const node of declared) {
    rest += program.slice(end, node.start);
    end = node.end;
  }
  return declared.map((node) => `${arrowOf(node, program)}\n`).join("") + rest + program.slice(end);
}

/** Async functions and generators have no such prototype. */
function canBeArrow({ async, generator, params, body }: FunctionDeclaration): boolean {
  return !async && !generator && ![...params, body].some(usesCaller);
}

/** Whether code has another meaning in an arrow function. */
function usesCaller(node: AnyNode): boolean {
  switch (node.type) {
    case "ThisExpression":
    case "MetaProperty":
    case "Super":
      return true;
    case "Identifier":
      return node.name === "arguments";
    default:
      for (const child of childrenOf(node)) if (usesCaller(child)) return true;
      return false;
  }
}

function arrowOf({ id, params, body }: FunctionDeclaration, program: string): string {
  const texts = params.map(({ start, end }) => program.slice(start, end));
  return `var ${id.name} = (${texts.join(", ")}) => ${program.slice(body.start, body.end)};`;
}

function refuseNew(node: AnyNode | Program, names: ReadonlySet<string>): void {
  if (node.type === "NewExpression" && node.callee.type === "Identifier" && names.has(node.callee.name))
    throw new Error(`Cannot call function ${node.callee.name} with new: only classes are constructors`);
  for (const child of childrenOf(node)) refuseNew(child, names);
}
