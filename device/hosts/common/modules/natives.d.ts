/** Globals of host modules (simulator/README.md). */
declare function Native(name: string): new () => object;
// biome-ignore lint/suspicious/noExplicitAny: what a C function takes and gives is known to its caller alone
declare function native(name: string): (this: unknown, ...parameters: any[]) => any;
