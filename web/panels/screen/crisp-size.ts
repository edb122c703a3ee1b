/** The size at which every pixel of a console's display takes the same number of pixels here: else some are wider. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * @param display in its own pixels
 * @param room there is, in CSS pixels
 * @param density pixels of this display in a CSS pixel
 * @returns the width in CSS pixels; where not even one to one fits, as large as fits
 */
export function crispWidth(display: Size, room: Size, density: number): number {
  const times = density * Math.min(room.width / display.width, room.height / display.height);
  return (display.width * (times >= 1 ? Math.floor(times) : times)) / density;
}
