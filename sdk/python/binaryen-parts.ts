/** The parts of binaryen's JavaScript that its types lack: what expressions consist of, and data segments. */
import binaryen from "binaryen";

interface Parts {
  readonly Call: { getTarget(call: number): string };
  readonly LocalSet: Valued;
  readonly Drop: Valued;
  readonly Block: {
    getNumChildren(block: number): number;
    getChildAt(block: number, index: number): number;
    setChildAt(block: number, index: number, child: number): void;
  };
  readonly Loop: { getBody(loop: number): number; setBody(loop: number, body: number): void };
  readonly If: {
    getIfTrue(statement: number): number;
    setIfTrue(statement: number, child: number): void;
    /** 0 where there is no `else`. */
    getIfFalse(statement: number): number;
    setIfFalse(statement: number, child: number): void;
  };
}

interface Valued {
  getValue(expression: number): number;
  setValue(expression: number, value: number): void;
}

export const { Block, Call, Drop, If, LocalSet, Loop } = binaryen as unknown as Parts;

export const PAGE_BYTES = 65536;

export interface DataSegment {
  readonly offset: number;
  readonly data: Uint8Array;
}

interface WithDataSegments {
  getNumDataSegments(): number;
  getDataSegmentInfo(segment: number): { offset: number; data: ArrayBuffer };
}

export function dataSegments(module: binaryen.Module): DataSegment[] {
  const typed = module as unknown as WithDataSegments;
  return Array.from({ length: typed.getNumDataSegments() }, (_, index) => {
    const { offset, data } = typed.getDataSegmentInfo(module.getDataSegmentByIndex(index));
    return { offset, data: new Uint8Array(data) };
  });
}

/** Sets how many pages there are at the start and at most, and what is in them; binaryen replaces all of it at once. */
export function setMemory(
  module: binaryen.Module,
  { initialPages, maximumPages }: { readonly initialPages: number; readonly maximumPages: number },
  segments: readonly DataSegment[],
): void {
  const put = segments.map(({ offset, data }) => ({
    offset: module.i32.const(offset),
    data,
    passive: false,
  }));
  module.setMemory(initialPages, maximumPages, null, put);
}
