/**
 * Writes the constants of a program where they are used. A constant of a module is a variable that every function which
 * uses it has to keep: on a board a slot each, and a look-up each time.
 */
import { type AnyNode, type Expression, type Identifier, type Program, parse } from "acorn";
import { transform } from "esbuild";
import { childrenOf } from "./syntax-tree.js";

/** A constant may be computed from others: each round inlines those that are literals by then. */
const ROUNDS_LIMIT = 8;

/**
 * Inlines numbers and booleans of the module, and leaves out their variables.
 * @param program an ES module
 * @returns a module of the same behaviour
 */
export async function inlineConstants(program: string): Promise<string> {
  let text = program;
  for (let round = 0; round < ROUNDS_LIMIT; round++) {
    const inlined = inlineLiterals(text);
    if (inlined === text) break;
    const { code } = await transform(inlined, {
      format: "esm",
      target: "es2022",
      charset: "utf8",
      minifySyntax: true,
      logLevel: "error", // spreads that it merges give keys twice, as they are
    });
    text = code;
  }
  return text;
}

/** A part of the text, and what replaces it. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Inlines variables whose value is a literal by now. */
export function inlineLiterals(program: string): string {
  const tree = parse(program, { ecmaVersion: "latest", sourceType: "module" });
  const literals = literalsOf(tree, program, new Names(tree));
  const changes = [...declarationsWithout(tree, program, literals), ...usesOf(tree, literals)];
  let text = "";
  let end = 0;
  for (const change of changes.sort((left, right) => left.start - right.start)) {
    text += program.slice(end, change.start) + change.text;
    end = change.end;
  }
  return text + program.slice(end);
}

type Literals = ReadonlyMap<string, string>;

/** Texts by name, of variables of the module that have one value and whose name means nothing else anywhere. */
function literalsOf(tree: Program, program: string, names: Names): Literals {
  const literals = new Map<string, string>();
  for (const { id, init } of declaratorsOf(tree))
    if (id.type === "Identifier" && init && isLiteral(init) && names.isConstant(id.name))
      literals.set(id.name, `(${program.slice(init.start, init.end)})`);
  return literals;
}

function declaratorsOf(tree: Program) {
  return tree.body.flatMap((node) => (node.type === "VariableDeclaration" ? node.declarations : []));
}

function isLiteral(node: Expression): boolean {
  if (node.type === "UnaryExpression") return "-!".includes(node.operator) && isLiteral(node.argument);
  return node.type === "Literal" && (typeof node.value === "number" || typeof node.value === "boolean");
}

function declarationsWithout(tree: Program, program: string, literals: Literals): Change[] {
  return tree.body.flatMap((node) => {
    if (node.type !== "VariableDeclaration") return [];
    const kept = node.declarations.filter(({ id }) => id.type !== "Identifier" || !literals.has(id.name));
    if (kept.length === node.declarations.length) return [];
    if (kept.length === 0) return [{ start: node.start, end: node.end, text: "" }];
    return node.declarations
      .filter((declarator) => !kept.includes(declarator))
      .map(({ start, end }) => commaAround(program, start, end, end > (kept.at(-1)?.end ?? 0)));
  });
}

/** The comma after a declarator goes with it, or for those at the end of the declaration the one before. */
function commaAround(program: string, start: number, end: number, isAtEnd: boolean): Change {
  if (isAtEnd) return { start: program.lastIndexOf(",", start), end, text: "" };
  return { start, end: program.indexOf(",", end) + 1, text: "" };
}

function usesOf(tree: Program, literals: Literals): Change[] {
  const changes: Change[] = [];
  visitUses(tree, ({ name, start, end }, isShorthand) => {
    const literal = literals.get(name);
    if (literal !== undefined)
      changes.push({ start, end, text: isShorthand ? `${name}: ${literal}` : literal });
  });
  return changes;
}

/** What names of variables are used for in a program. */
class Names {
  readonly #declared = new Map<string, number>();
  readonly #assigned = new Set<string>();

  constructor(tree: Program) {
    visit(tree, (node) => {
      for (const pattern of declaredBy(node))
        visit(pattern, (part) => {
          if (part.type === "Identifier") this.#declare(part);
        });
      const target = assignedBy(node);
      if (target)
        visit(target, (part) => {
          if (part.type === "Identifier") this.#assigned.add(part.name);
        });
    });
  }

  #declare({ name }: Identifier): void {
    this.#declared.set(name, (this.#declared.get(name) ?? 0) + 1);
  }

  /** Names in default values and of properties count as declared, too: their variables are kept. */
  isConstant(name: string): boolean {
    return this.#declared.get(name) === 1 && !this.#assigned.has(name);
  }
}

function declaredBy(node: AnyNode): AnyNode[] {
  switch (node.type) {
    case "VariableDeclarator":
      return [node.id];
    case "FunctionDeclaration":
    case "FunctionExpression":
      return node.id ? [node.id, ...node.params] : node.params;
    case "ArrowFunctionExpression":
      return node.params;
    case "ClassDeclaration":
    case "ClassExpression":
      return node.id ? [node.id] : [];
    case "CatchClause":
      return node.param ? [node.param] : [];
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
      return node.specifiers;
    case "ExportDefaultDeclaration":
      return node.declaration.type === "Identifier" ? [node.declaration] : [];
    case "LabeledStatement":
      return [node.label];
    default:
      return [];
  }
}

function assignedBy(node: AnyNode): AnyNode | undefined {
  switch (node.type) {
    case "AssignmentExpression":
    case "ForInStatement":
    case "ForOfStatement":
      return node.left;
    case "UpdateExpression":
      return node.argument;
    default:
      return undefined;
  }
}

/** Visits identifiers that are not names of properties; those of declarations are among them. */
function visitUses(node: AnyNode, onUse: (use: Identifier, isShorthand: boolean) => void): void {
  if (node.type === "Identifier") onUse(node, false);
  else if (node.type === "Property" && node.shorthand) {
    if (node.value.type === "Identifier") onUse(node.value, true);
    else visitUses(node.value, onUse);
  } else if (node.type === "VariableDeclarator") {
    if (node.id.type !== "Identifier") visitUses(node.id, onUse);
    if (node.init) visitUses(node.init, onUse);
  } else for (const child of childrenOf(node)) if (!isNameOfProperty(node, child)) visitUses(child, onUse);
}

function isNameOfProperty(parent: AnyNode, child: AnyNode): boolean {
  switch (parent.type) {
    case "MemberExpression":
      return !parent.computed && child === parent.property;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return !parent.computed && child === parent.key;
    default:
      return false;
  }
}

function visit(node: AnyNode, onNode: (node: AnyNode) => void): void {
  onNode(node);
  for (const child of childrenOf(node)) visit(child, onNode);
}
