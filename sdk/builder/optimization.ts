/** What compilers make small or fast: `svc app build --optimize`. */
export const OPTIMIZATIONS = Object.freeze(["size", "speed"] as const);

/** A console has little memory for a module, so size is usual. Loops that call small functions run up to twice as fast by speed. */
export type Optimization = (typeof OPTIMIZATIONS)[number];
