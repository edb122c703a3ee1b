/** Icons of 12 by 12 pixels, with sharp pixels at any size, in the colour of the text. */
import { BITMAPS, type IconName, pathOf } from "./bitmaps.js";

export type { IconName } from "./bitmaps.js";

const PIXELS = 12;

/**
 * Hidden from screen readers: an icon is decoration, or has text beside it.
 * @param size in CSS pixels, ideally a multiple of 12
 */
export function Icon({ name, size = 24 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox={`0 0 ${PIXELS} ${PIXELS}`}
      shape-rendering="crispEdges"
      fill="currentColor"
      aria-hidden="true"
      focusable="false"
    >
      <path d={pathOf(BITMAPS[name])} />
    </svg>
  );
}
