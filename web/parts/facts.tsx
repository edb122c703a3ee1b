/**
 * Facts as names and values, in two columns whose widths do not change with the values; and tags for kinds and states.
 */
import type { ComponentChildren } from "preact";
import "./facts.css";

export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="fact-list">{children}</dl>;
}

/** @param children the value; if `undefined`, the fact is left out */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  if (children === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export type TagTone = "quiet" | "good" | "warning" | "bad" | "accent";

/** A label for a kind or a state. Never distinguished by colour alone. */
export function Tag({ tone = "quiet", children }: { tone?: TagTone; children: ComponentChildren }) {
  return <span class={`tag tag-${tone}`}>{children}</span>;
}
