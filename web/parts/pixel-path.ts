/** Pictures of pixels as paths of SVG. */

/** One rectangle for each run of pixels in a row. @param bitmap rows of `#` and `.`, with white space between them */
export function pathOf(bitmap: string): string {
  let path = "";
  bitmap
    .trim()
    .split(/\s+/)
    .forEach((row, y) => {
      for (const run of row.matchAll(/#+/g))
        path += `M${run.index} ${y}h${run[0].length}v1h-${run[0].length}z`;
    });
  return path;
}
