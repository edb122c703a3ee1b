/** `TextEncoder` and `TextDecoder` as globals, where the Moddable SDK has modules. */
import TextDecoder from "text/decoder";
import TextEncoder from "text/encoder";

Object.assign(globalThis, { TextEncoder, TextDecoder });
