/** What tests make native images for: the simulated console, or the board under test. */
import type { VariantArchitecture } from "../../protocol/file-kind.js";
import { boardUnderTest } from "./board.js";

export const imageArchitecture = (boardUnderTest?.architecture ?? "native") as VariantArchitecture;
