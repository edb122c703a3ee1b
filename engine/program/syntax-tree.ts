/** The nodes of a syntax tree, as acorn makes it. */
import type { AnyNode } from "acorn";

/** The nodes of a node's fields, in the order of the text where the parser keeps it. */
export function* childrenOf(node: AnyNode): Generator<AnyNode> {
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield child;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
