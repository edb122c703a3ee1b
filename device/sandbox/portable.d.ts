/**
 * AssemblyScript's names of the number types that sandboxed programs use (docs/adr/0030-the-sandbox.md). To TypeScript
 * they are numbers.
 */

/** A signed integer of 32 bits. Wrap what can overflow in `| 0`, so that Node computes the same. */
declare type i32 = number;
