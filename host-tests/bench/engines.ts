/** The engines that the part `engine` compares: a console's, wasm3 without its additions, and a console's as on Xtensa. */
export const ENGINES = [
  { isBare: false, variant: "release" },
  { isBare: true, variant: "release" },
  { isBare: false, variant: "trampoline" },
] as const;
