import { DRIVE_CONTENT, READ_ONLY_DIRECTORY_CONTRACT } from "../../contracts/read-only-directory.js";
import { EmulatedStorage } from "../../hosts/emulated-storage.js";
import { runContract } from "./run-contract.js";

runContract("EmulatedStorage, read only", READ_ONLY_DIRECTORY_CONTRACT, () => {
  const { files } = new EmulatedStorage();
  for (const [path, content] of Object.entries(DRIVE_CONTENT)) {
    for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1))
      files.createDirectory(path.slice(0, slash));
    const file = files.openFile({ path, mode: "w" });
    file.write(new TextEncoder().encode(content), 0);
    file.close();
  }
  return files;
});
