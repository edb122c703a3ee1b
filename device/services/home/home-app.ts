/**
 * The home screen in this firmware. Absent in the sources: a firmware build replaces this module
 * (`engine/program/firmware-modules.ts`).
 */
export interface HomeApp {
  /** The prepared module. */
  readonly module: Uint8Array;
  /** Deepest nesting of blocks in a function. */
  readonly nestedBlocks: number;
  readonly memoryQuotaBytes: number;
}

export const HOME_APP: HomeApp | undefined = undefined as HomeApp | undefined;
