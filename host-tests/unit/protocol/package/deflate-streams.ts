/** Deflate streams at the limits of RFC 1951, each with what it inflates to or what is wrong with it. */
import {
  ALIGN,
  DYNAMIC,
  dynamicHead,
  FIXED,
  FIXED_END,
  NO_LITERALS,
  ONE,
  STORED,
  stream,
  TWO,
  ZERO,
  zeros,
} from "./deflate-bits.js";

export interface DeflateStream {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly output?: readonly number[];
  /** What a person is told, where the stream is invalid. */
  readonly fault?: string;
}

export const DEFLATE_STREAMS: readonly DeflateStream[] = [
  { name: "accepts an empty stored block", bytes: Uint8Array.of(1, 0, 0, 255, 255), output: [] },
  { name: "accepts an empty block of fixed codes", bytes: stream(FIXED, FIXED_END), output: [] },
  { name: "accepts a stored block", bytes: Uint8Array.of(1, 2, 0, 253, 255, 7, 8), output: [7, 8] },
  {
    name: "rejects a block of the reserved type",
    bytes: stream([0b111, 3]),
    fault: "a block is of a type that does not exist",
  },
  {
    name: "rejects a stored length without its complement",
    bytes: stream(STORED, ALIGN, [2, 16], [2, 16]),
    fault: "the length of a stored block does not match its complement",
  },
  {
    name: "rejects a match before the first byte",
    bytes: stream(FIXED, [0b1000000, 7], [0, 5], FIXED_END),
    fault: "a match reaches back before the beginning",
  },
  {
    name: "rejects length symbol 286 of the fixed code",
    bytes: stream(FIXED, [0b01100011, 8], [0, 16]),
    fault: "there is no such length",
  },
  {
    name: "rejects distance symbol 30 of the fixed code",
    bytes: stream(FIXED, [0b00001100, 8], [0b1000000, 7], [0b01111, 5], [0, 16]),
    fault: "there is no such distance",
  },
  {
    name: "rejects 287 literals and lengths",
    bytes: stream(DYNAMIC, [30, 5], [0, 5], [14, 4], [0, 30]),
    fault: "a block has more codes than there are symbols",
  },
  {
    name: "rejects 31 distances",
    bytes: stream(DYNAMIC, [0, 5], [30, 5], [14, 4], [0, 30]),
    fault: "a block has more codes than there are symbols",
  },
  {
    name: "rejects a code of code lengths without codes",
    bytes: stream(DYNAMIC, [0, 14], [0, 30], [0, 30]),
    fault: "the code of a block's code lengths is none",
  },
  {
    name: "rejects an incomplete code of code lengths",
    bytes: stream(DYNAMIC, [0, 14], [1, 3], [2, 3], [0, 30], [0, 30]),
    fault: "the code of a block's code lengths is none",
  },
  {
    name: "rejects an oversubscribed code of code lengths",
    bytes: stream(DYNAMIC, [0, 14], [1, 3], [1, 3], [1, 3], [1, 3], [0, 30]),
    fault: "the code of a block's code lengths is none",
  },
  {
    name: "rejects a block without a code for its end",
    bytes: stream(...dynamicHead(257, 1), ...zeros(138), ...zeros(120)),
    fault: "a block has no code for its end",
  },
  {
    name: "rejects more code lengths than codes",
    bytes: stream(...dynamicHead(257, 1), ...NO_LITERALS, ONE, ...zeros(11)),
    fault: "a block has more code lengths than codes",
  },
  {
    name: "accepts a block whose only code is its end, without distances",
    bytes: stream(...dynamicHead(257, 1), ...NO_LITERALS, ONE, ZERO, [0, 1]),
    output: [],
  },
  {
    name: "rejects bits that are no code of that block",
    bytes: stream(...dynamicHead(257, 1), ...NO_LITERALS, ONE, ZERO, [1, 1], [0, 16]),
    fault: "there is no such literal or length",
  },
  {
    name: "rejects a single literal of two bits",
    bytes: stream(...dynamicHead(257, 1), ...NO_LITERALS, TWO, ZERO, [0, 16]),
    fault: "the code of a block's literals and lengths is incomplete",
  },
  {
    name: "rejects oversubscribed literals",
    bytes: stream(...dynamicHead(259, 1), ...NO_LITERALS, ONE, ONE, ONE, ZERO, [0, 16]),
    fault: "the code of a block's literals and lengths is oversubscribed",
  },
  {
    name: "accepts a single distance of one bit",
    bytes: stream(...dynamicHead(257, 1), ONE, ...zeros(138), ...zeros(117), ONE, ONE, [0, 1], [1, 1]),
    output: [0],
  },
  {
    name: "rejects a single distance of two bits",
    bytes: stream(...dynamicHead(257, 1), ONE, ...zeros(138), ...zeros(117), ONE, TWO, [0, 1], [1, 1]),
    fault: "the code of a block's distances is incomplete",
  },
  {
    name: "rejects oversubscribed distances",
    bytes: stream(...dynamicHead(257, 3), ONE, ...zeros(138), ...zeros(117), ONE, ONE, ONE, ONE, [0b10, 2]),
    fault: "the code of a block's distances is oversubscribed",
  },
  {
    name: "rejects a match without distances",
    bytes: stream(...dynamicHead(258, 1), ...NO_LITERALS, ONE, ONE, ZERO, [1, 1], [0, 16]),
    fault: "there is no such distance",
  },
  {
    name: "rejects a code length that repeats none",
    bytes: stream(DYNAMIC, [0, 14], [1, 3], [1, 3], [0, 6], [0, 1], [0, 2], [0, 16]),
    fault: "a code length is to be repeated before there is one",
  },
];
