/** What tests make native images for: the simulated console, or the board under test. */
import type { ImageArchitecture } from "../../hub/images/image-request.js";
import { boardUnderTest } from "./board.js";

export const imageArchitecture = (boardUnderTest?.architecture ?? "native") as ImageArchitecture;
