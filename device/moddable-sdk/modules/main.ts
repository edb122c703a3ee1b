/** `main`: the module that the Moddable SDK runs, and the only one that is not preloaded. */
import run from "device/main";

export default run;
