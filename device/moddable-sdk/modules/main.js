/** `main`: what the Moddable SDK runs, and the one module that is not preloaded. */
import run from "device/main";

export default run;
