/**
 * Shortens the names in a program for a board, where each name and each private field costs flash and RAM.
 *
 * Private members (`#name`) become properties with short names that are unique among those of a class and its
 * superclasses: XS needs a variable in every method's scope for each private name that the method uses. The names of
 * variables and functions are minified. Code to which this would make a difference is refused.
 */
import { decode } from "@jridgewell/sourcemap-codec";
import { type AnyNode, type Class, type Identifier, type PrivateIdentifier, parse } from "acorn";
import { transform } from "esbuild";
import { type NameMap, type Names, SHORT_NAME } from "./name-map.js";
import { childrenOf } from "./syntax-tree.js";

/** What the short names begin with; the sources have no such property. */
const PREFIX = "_";

const MODULE = Object.freeze({ ecmaVersion: "latest", sourceType: "module" } as const);

export interface ShortProgram {
  readonly program: string;
  readonly names: NameMap;
}

/**
 * @param program an ES module that imports no other of ours
 * @throws {Error} for code that would see the difference
 */
export async function shortenNames(program: string): Promise<ShortProgram> {
  const { text, members } = renamePrivate(program);
  const { code, map } = await transform(text, {
    format: "esm",
    target: "es2022",
    charset: "utf8",
    minifyIdentifiers: true,
    sourcemap: "external",
    logLevel: "error", // as in inline-constants.ts
  });
  return { program: code, names: { members, functions: functionNames(code, JSON.parse(map)) } };
}

interface SourceMap {
  readonly names: readonly string[];
  readonly mappings: string;
}

/** @returns the names that functions had, by the names that they have; several for functions of different scopes */
function functionNames(code: string, map: SourceMap): Names {
  const originals = new Map<string, Set<string>>();
  const lines = decode(map.mappings);
  visit(parse(code, { ...MODULE, locations: true }), (node) => {
    const id = functionIdOf(node);
    if (!id?.loc) return;
    const { line, column } = id.loc.start;
    const index = lines[line - 1]?.find(([at]) => at === column)?.[4];
    const original = index === undefined ? undefined : map.names[index];
    if (original === undefined) return;
    originals.set(id.name, (originals.get(id.name) ?? new Set()).add(original));
  });
  return Object.fromEntries([...originals].map(([short, names]) => [short, [...names].sort().join("|")]));
}

/** The identifier that names a function or class; `undefined` for all other nodes. */
function functionIdOf(node: AnyNode): Identifier | undefined {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ClassDeclaration":
    case "ClassExpression":
      return node.id ?? undefined;
    case "VariableDeclarator":
      return node.id.type === "Identifier" && node.init?.type === "ArrowFunctionExpression"
        ? node.id
        : undefined;
    default:
      return undefined;
  }
}

function visit(node: AnyNode, onNode: (node: AnyNode) => void): void {
  onNode(node);
  for (const child of childrenOf(node)) visit(child, onNode);
}

/** Replaces `#name` by a property throughout. @throws {Error} as {@link shortenNames} */
export function renamePrivate(program: string): { text: string; members: Names } {
  const scan = new Scan(program);
  const names = new ShortNames(scan);
  let text = "";
  let end = 0;
  for (const { node, owner } of scan.uses) {
    text += program.slice(end, node.start) + names.of(owner, node.name);
    end = node.end;
  }
  return { text: text + program.slice(end), members: names.map };
}

/** A private name in the text, and the class that declares it. */
interface Use {
  readonly node: PrivateIdentifier;
  readonly owner: ClassFacts;
}

interface ClassFacts {
  readonly declared: ReadonlySet<string>;
  /** Name of the superclass, of ours or the platform's. */
  readonly superclass: string | undefined;
}

/** Finds private names, classes and names of properties. */
class Scan {
  readonly uses: Use[] = [];
  /** All classes. */
  readonly declarations: ClassFacts[] = [];
  readonly classes = new Map<string, ClassFacts>();
  /** The classes around the current node, the innermost last. */
  readonly #around: ClassFacts[] = [];

  constructor(program: string) {
    this.#visit(parse(program, MODULE));
  }

  #visit(node: AnyNode, name?: string): void {
    switch (node.type) {
      case "ClassDeclaration":
      case "ClassExpression":
        this.#visitClass(node, name);
        return;
      case "VariableDeclarator":
        if (node.id.type === "Identifier" && node.init) {
          this.#visit(node.init, node.id.name);
          return;
        }
        break;
      case "PrivateIdentifier":
        this.#use(node);
        return;
      case "BinaryExpression":
        if (node.left.type === "PrivateIdentifier") throw refused(`#${node.left.name} in`);
        break;
      case "SpreadElement":
        if (node.argument.type === "ThisExpression") throw refused("...this");
        break;
      case "CallExpression":
        if (node.arguments.some(({ type }) => type === "ThisExpression"))
          this.#refuseEnumeration(node.callee);
        break;
      case "ForInStatement":
        if (node.right.type === "ThisExpression") throw refused("for (… in this)");
        break;
      case "MemberExpression":
        if (!node.computed && node.property.type === "Identifier") refuseShort(node.property.name);
        break;
      case "Property":
      case "MethodDefinition":
      case "PropertyDefinition":
        if (!node.computed && node.key.type === "Identifier") refuseShort(node.key.name);
        break;
    }
    for (const child of childrenOf(node)) this.#visit(child);
  }

  #visitClass(node: Class, name = node.id?.name): void {
    const { superClass: superclass } = node;
    if (superclass) this.#visit(superclass);
    const facts = {
      declared: new Set(node.body.body.flatMap((member) => privateNameOf(member))),
      superclass: superclass?.type === "Identifier" ? superclass.name : undefined,
    };
    if (superclass && !facts.superclass) throw refused("a superclass that is an expression");
    for (const known of new Set([name, node.id?.name]))
      if (known !== undefined) {
        if (this.classes.has(known)) throw refused(`two classes with the name ${known}`);
        this.classes.set(known, facts);
      }
    this.declarations.push(facts);
    this.#around.push(facts);
    for (const member of node.body.body) this.#visit(member);
    this.#around.pop();
  }

  #use(node: PrivateIdentifier): void {
    const owner = [...this.#around].reverse().find(({ declared }) => declared.has(node.name));
    if (!owner) throw new Error(`#${node.name} is not declared`);
    this.uses.push({ node, owner });
  }

  /** Functions of `Object` and `JSON` see what fields an instance has. */
  #refuseEnumeration(callee: AnyNode): void {
    if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return;
    if (callee.object.name === "Object" || callee.object.name === "JSON")
      throw refused(`${callee.object.name} of this`);
  }
}

/** Names that have the same short one: few, so that an error's text still tells which it is about. */
const SHARED_LIMIT = 4;

/**
 * Gives the short names. A name is the same in all classes, unless a superclass has it, too. Names that no instance has
 * together share a short one, since each name in flash is a slot, a pointer and a text.
 */
class ShortNames {
  readonly #scan: Scan;
  /** By name and by how many superclasses declare the same name. */
  readonly #short = new Map<string, string>();
  readonly #depths = new Map<ClassFacts, Map<string, number>>();

  constructor(scan: Scan) {
    this.#scan = scan;
    const counts = new Map<string, number>();
    for (const { node, owner } of scan.uses) {
      const key = this.#key(owner, node.name);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    // The shortest for the most frequent; of equally frequent ones, the first in the text.
    const keys = [...counts.entries()].sort(([, a], [, b]) => b - a).map(([key]) => key);
    for (const [index, names] of this.#shared(keys).entries())
      for (const key of names) this.#short.set(key, PREFIX + index.toString(36));
  }

  /** Puts each name to the first ones that it can share a short name with. */
  #shared(keys: readonly string[]): string[][] {
    const met = this.#met();
    const shared: string[][] = [];
    for (const key of keys) {
      const others = met.get(key);
      const names = shared.find(
        (found) => found.length < SHARED_LIMIT && !found.some((name) => others?.has(name)),
      );
      if (names) names.push(key);
      else shared.push([key]);
    }
    return shared;
  }

  /** The names that some instance has together with a name: those of its class and its superclasses. */
  #met(): Map<string, Set<string>> {
    const met = new Map<string, Set<string>>();
    for (const leaf of this.#scan.declarations) {
      const together = [leaf, ...this.#superclasses(leaf)].flatMap((owner) =>
        [...owner.declared].map((name) => this.#key(owner, name)),
      );
      for (const key of together) {
        const others = met.get(key) ?? new Set<string>();
        for (const other of together) others.add(other);
        met.set(key, others);
      }
    }
    return met;
  }

  of(owner: ClassFacts, name: string): string {
    return this.#short.get(this.#key(owner, name)) as string;
  }

  get map(): Names {
    const map: Record<string, string> = {};
    for (const [key, short] of this.#short) map[short] = short in map ? `${map[short]}|${key}` : key;
    return map;
  }

  #key(owner: ClassFacts, name: string): string {
    const depths = this.#depths.get(owner) ?? new Map<string, number>();
    this.#depths.set(owner, depths);
    let depth = depths.get(name);
    if (depth === undefined) {
      depth = this.#superclasses(owner).filter(({ declared }) => declared.has(name)).length;
      depths.set(name, depth);
    }
    return depth === 0 ? `#${name}` : `#${name}@${depth}`;
  }

  #superclasses(of: ClassFacts): ClassFacts[] {
    const found: ClassFacts[] = [];
    for (let name = of.superclass; name !== undefined; name = found.at(-1)?.superclass) {
      const superclass = this.#scan.classes.get(name);
      if (!superclass) break; // the platform's
      found.push(superclass);
    }
    return found;
  }
}

function privateNameOf(member: Class["body"]["body"][number]): string[] {
  return "key" in member && member.key.type === "PrivateIdentifier" ? [member.key.name] : [];
}

function refuseShort(name: string): void {
  if (SHORT_NAME.test(name)) throw refused(`a property with the name ${name}`);
}

function refused(what: string): Error {
  return new Error(`Cannot make private members properties, because the program has ${what}`);
}
