/**
 * A picture as a list of shapes, which can be drawn again, taken back and kept: it takes less of the storage than its
 * pixels would, a hundredth of them for most pictures.
 */
import { displayCircle, displayLine, displayTriangle } from "svc";

export enum Shape {
  LINE,
  CIRCLE,
  TRIANGLE,
}

/** Points that a shape is made of: a circle has its centre and one of its edge. */
export function pointsOf(shape: Shape): i32 {
  return shape === Shape.TRIANGLE ? 3 : 2;
}

/** RGB565: five bits of red, six of green, five of blue. */
export const COLOURS: StaticArray<i32> = [0xffff, 0xf800, 0xfd20, 0xffe0, 0x07e0, 0x07ff, 0x041f, 0xf81f];

/** Bytes of a stored shape: itself, its colour, and three points of two numbers of 16 bits each. */
const SHAPE_BYTES = 14;
export const SHAPE_LIMIT = 256;

export class Picture {
  /** The stored form of what was drawn. */
  private readonly bytes: Uint8Array = new Uint8Array(SHAPE_BYTES * SHAPE_LIMIT);
  private count: i32 = 0;

  get isFull(): bool {
    return this.count === SHAPE_LIMIT;
  }

  /** @param points x and y of each, of as many as the shape has */
  add(shape: Shape, colour: i32, points: StaticArray<i32>): void {
    const at = this.bytes.dataStart + this.count * SHAPE_BYTES;
    store<u8>(at, shape);
    store<u8>(at, colour, 1);
    for (let index = 0; index < points.length; index++) store<i16>(at + 2 + 2 * index, i16(points[index]));
    this.count++;
  }

  /** Takes the last shape back. */
  undo(): void {
    this.count = max(this.count - 1, 0);
  }

  draw(): void {
    for (let index = 0; index < this.count; index++) {
      const at = this.bytes.dataStart + index * SHAPE_BYTES;
      const points = new StaticArray<i32>(6);
      for (let number = 0; number < points.length; number++) points[number] = load<i16>(at + 2 + 2 * number);
      drawShape(load<u8>(at), load<u8>(at, 1), points);
    }
  }

  get stored(): Uint8Array {
    return this.bytes.subarray(0, this.count * SHAPE_BYTES);
  }

  /** Where `stored` is to be read to. */
  get room(): Uint8Array {
    return this.bytes;
  }

  /** After that many bytes were read into `room`; a part of a shape at their end is left out. */
  restore(byteLength: i32): void {
    this.count = max(byteLength, 0) / SHAPE_BYTES;
  }
}

export function drawShape(shape: Shape, colour: i32, points: StaticArray<i32>): void {
  const rgb565 = COLOURS[colour % COLOURS.length];
  if (shape === Shape.LINE) {
    displayLine(points[0], points[1], points[2], points[3], rgb565);
  } else if (shape === Shape.CIRCLE) {
    displayCircle(points[0], points[1], distance(points), rgb565, 0);
  } else {
    displayTriangle(points[0], points[1], points[2], points[3], points[4], points[5], rgb565);
  }
}

/** Between the first two points. */
function distance(points: StaticArray<i32>): i32 {
  const x = f64(points[2] - points[0]);
  const y = f64(points[3] - points[1]);
  return i32(Math.sqrt(x * x + y * y));
}
