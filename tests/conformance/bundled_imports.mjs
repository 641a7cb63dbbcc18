// Finds modules as bundlers do: a package may import `./name` for `./name.js` or `./name/index.js`.

import { existsSync, statSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

export async function resolve(specifier, context, next) {
  if (specifier.startsWith(".") && context.parentURL?.includes("/node_modules/")) {
    const path = fileURLToPath(new URL(specifier, context.parentURL));
    const isFile = (name) => existsSync(name) && statSync(name).isFile();
    const found = [path, `${path}.js`, `${path.replace(/\/$/, "")}/index.js`].find(isFile);
    if (found) return next(pathToFileURL(found).href, context);
  }
  return next(specifier, context);
}
