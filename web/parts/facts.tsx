/** Names and values, in two columns whose widths do not change with the values. */
import type { ComponentChildren } from "preact";
import "./facts.css";

export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="fact-list">{children}</dl>;
}

/** @param children `undefined` is not known, and then it is left out */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  if (children === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
