/** Colours of a display, and how well one can be read on another (WCAG 2.2, relative luminance and contrast ratio). */

/** @returns red, green and blue in eight bits each, red first */
export function rgbOf(rgb565: number): number {
  const red = (rgb565 >> 11) & 31;
  const green = (rgb565 >> 5) & 63;
  const blue = rgb565 & 31;
  return (((red << 3) | (red >> 2)) << 16) | (((green << 2) | (green >> 4)) << 8) | (blue << 3) | (blue >> 2);
}

/** Six digits, as pixels of a PNG are compared with. */
export function hexOf(rgb565: number): string {
  return rgbOf(rgb565).toString(16).padStart(6, "0");
}

function luminance(rgb: number): number {
  const [red, green, blue] = [rgb >> 16, (rgb >> 8) & 255, rgb & 255].map((component) => {
    const part = component / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const known = new Map<number, number>();

/** From 1 for the same colour to 21 for black and white. @param one and `other`: RGB, as of {@link rgbOf} */
export function contrast(one: number, other: number): number {
  const pair = one * 0x1000000 + other;
  let ratio = known.get(pair);
  if (ratio === undefined) {
    const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
    ratio = (lighter + 0.05) / (darker + 0.05);
    known.set(pair, ratio);
  }
  return ratio;
}
