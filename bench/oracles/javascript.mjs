// Where the TypeScript compiler resolves the imports of every tracked file of a checkout.
// node javascript.mjs SCRATCH < JSON list of paths > {"edges": [[from, to]], "beyond": [[from, specifier]]}
// SCRATCH is a copy of the tracked files; this links the packages of workspaces into node_modules.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const load = createRequire(process.env.ORACLE_TOOLS + "/");
const ts = load("typescript");
const yaml = load("yaml");

const root = fs.realpathSync(process.argv[2]);
const tracked = JSON.parse(fs.readFileSync(0, "utf8"));
const known = new Set(tracked.map((one) => path.join(root, one)));
const CODE = /\.([cm]?[jt]sx?|vue|svelte)$/;
const DECLARATION = /\.d\.([cm]?ts)$/;

function json(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

// ------------------------------------------------------------ node_modules

function link(folder) {
  const manifest = json(path.join(folder, "package.json"));
  let globs = manifest.workspaces?.packages ?? manifest.workspaces;
  const pnpm = path.join(folder, "pnpm-workspace.yaml");
  if (fs.existsSync(pnpm)) globs = yaml.parse(fs.readFileSync(pnpm, "utf8"))?.packages;
  globs ??= json(path.join(folder, "lerna.json")).packages;
  if (!Array.isArray(globs)) return;
  const manifests = (signed) =>
    globs
      .filter((one) => typeof one === "string" && one.startsWith("!") === signed)
      .map((one) => one.replace(/^!/, "").replace(/\/$/, "") + "/package.json");
  const found = ts.sys.readDirectory(folder, [".json"], manifests(true), manifests(false));
  for (const file of [path.join(folder, "package.json"), ...found]) {
    const name = json(file).name;
    const at = path.join(folder, "node_modules", name ?? "");
    if (!name || fs.existsSync(at)) continue;
    fs.mkdirSync(path.dirname(at), { recursive: true });
    fs.symlinkSync(path.dirname(file), at);
  }
}

// ------------------------------------------------------------ settings of the compiler

const extra = ["vue", "svelte"].map((one) => ({
  extension: "." + one,
  isMixedContent: true,
  scriptKind: ts.ScriptKind.Deferred,
}));
const configs = new Map();

function config(file) {
  if (!configs.has(file)) {
    configs.set(file, null);
    const raw = ts.readConfigFile(file, ts.sys.readFile).config ?? {};
    raw.compilerOptions = { ...raw.compilerOptions, allowJs: true };
    const parsed = ts.parseJsonConfigFileContent(
      raw, ts.sys, path.dirname(file), undefined, file, undefined, extra);
    const references = (parsed.projectReferences ?? [])
      .map((one) => ts.resolveProjectReferencePath(one))
      .filter((one) => fs.existsSync(one));
    configs.set(file, { parsed, references, names: new Set(parsed.fileNames) });
  }
  return configs.get(file);
}

function including(file, source, seen) {
  if (seen.has(file)) return undefined;
  seen.add(file);
  const one = config(file);
  if (!one) return undefined;
  if (one.names.has(source)) return one.parsed.options;
  for (const other of one.references) {
    const found = including(other, source, seen);
    if (found) return found;
  }
  return undefined;
}

function optionsOf(source) {
  let nearest;
  for (let folder = path.dirname(source); folder.startsWith(root); folder = path.dirname(folder)) {
    for (const name of ["tsconfig.json", "jsconfig.json"]) {
      const file = path.join(folder, name);
      if (!known.has(file)) continue;
      nearest ??= config(file)?.parsed.options;
      const found = including(file, source, new Set());
      if (found) return found;
      break;
    }
  }
  return nearest ?? {};
}

// ------------------------------------------------------------ specifiers

const MOCKS = /^(resolve|(do)?(un)?mock|(do)?unmock|doMock|dontMock|(import|require)(Actual|Mock)|createMockFromModule)$/;

function text(node) {
  return node && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function called(node) {
  const callee = node.expression;
  const first = text(node.arguments[0]);
  if (first === undefined) return undefined;
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return [first, "import"];
  if (ts.isIdentifier(callee) && callee.text === "require") return [first, "require"];
  if (!ts.isPropertyAccessExpression(callee) || !ts.isIdentifier(callee.expression)) return undefined;
  const isRunner = ["require", "jest", "vi", "vitest"].includes(callee.expression.text);
  return isRunner && MOCKS.test(callee.name.text)
    ? [first, callee.expression.text.startsWith("vi") ? "import" : "require"]
    : undefined;
}

function specifiers(file) {
  let content = fs.readFileSync(file, "utf8");
  let name = file;
  let sources = [];
  if (/\.(vue|svelte)$/.test(file)) {
    const scripts = [...content.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)];
    sources = [...content.matchAll(/\ssrc="([.@~][^"]*)"/g)].map((one) => one[1]);
    content = scripts.map((one) => one[2]).join("\n;");
    name += scripts.some((one) => /lang=["'](tsx|jsx)/.test(one[1])) ? ".tsx" : ".ts";
  }
  const found = sources.map((one) => [one, "path"]);
  const kind = /\.[cm]?js$/.test(name) ? ts.ScriptKind.JSX : undefined;
  const tree = ts.createSourceFile(name, content, ts.ScriptTarget.Latest, true, kind);
  for (const one of tree.referencedFiles) found.push([one.fileName, "path"]);
  for (const one of tree.typeReferenceDirectives) found.push([one.fileName, "import"]);
  const isModule = ts.isExternalModule(tree);
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      if (text(node.moduleSpecifier) !== undefined) found.push([node.moduleSpecifier.text, "import"]);
    } else if (ts.isImportEqualsDeclaration(node)) {
      const wanted = text(node.moduleReference.expression);
      if (wanted !== undefined) found.push([wanted, "require"]);
    } else if (ts.isImportTypeNode(node)) {
      const wanted = text(node.argument.literal);
      if (wanted !== undefined) found.push([wanted, "import"]);
    } else if (ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name)) {
      if (isModule) found.push([node.name.text, "import"]);
    } else if (ts.isCallExpression(node)) {
      const one = called(node);
      if (one) found.push(one);
    } else if (ts.isNewExpression(node) && node.expression.getText(tree) === "URL") {
      const [first, base] = node.arguments ?? [];
      if (text(first) !== undefined && base && /^import\.meta\b/.test(base.getText(tree))) {
        found.push([first.text, "path"]);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

// ------------------------------------------------------------ resolution

// A file in a language that the compiler does not know is there under a name that it looks for:
// `x.vue.ts` for `x.vue`.
function disguised(file) {
  const inner = file.endsWith(".ts") && !file.endsWith(".d.ts") ? file.slice(0, -3) : "";
  return /\.\w+$/.test(inner) && !/\.[cm]?[jt]sx?$/.test(inner) && known.has(inner) ? inner : "";
}

function host(declarations) {
  return {
    ...ts.sys,
    fileExists: (file) => {
      if (disguised(file)) return true;
      if (!ts.sys.fileExists(file)) return false;
      return declarations || !DECLARATION.test(file);
    },
    getCurrentDirectory: () => root,
  };
}
const hosts = [host(true), host(false)];

// What a package in the repository says it has, but only a build writes: the compiler passes over
// it to the next best.
const passed = new Set();
const targets = new Map();
function isTarget(file) {
  const inside = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(file);
  if (!inside) return false;
  const [, folder, target] = inside;
  if (!targets.has(folder)) {
    const { exports, types, typings, main } = json(path.join(folder, "package.json"));
    const words = JSON.stringify([exports, types, typings, main]).split('"');
    targets.set(folder, new Set(words.map((one) => path.posix.normalize(one))));
  }
  return targets.get(folder).has(target);
}

function tried(specifier, file, options, kind, withDeclarations) {
  const own = kind === "require" ? ts.ModuleKind.CommonJS : ts.ModuleKind.ESNext;
  const configured = { ...options, allowJs: true, resolveJsonModule: true, allowImportingTsExtensions: true };
  const bundler = { ...configured, moduleResolution: ts.ModuleResolutionKind.Bundler, module: ts.ModuleKind.ESNext };
  const node = { ...configured, moduleResolution: ts.ModuleResolutionKind.Node10, module: ts.ModuleKind.CommonJS };
  const ways = specifier.startsWith(".") ? [configured, bundler, node] : [configured, bundler];
  for (const way of ways) {
    const answer = ts.resolveModuleName(
      specifier, file, way, hosts[withDeclarations ? 0 : 1], undefined, undefined, own);
    const found = answer.resolvedModule?.resolvedFileName;
    if (found) {
      if (answer.failedLookupLocations?.some(isTarget)) passed.add(specifier + "\0" + file);
      const real = disguised(found) || found;
      return fs.existsSync(real) ? fs.realpathSync(real) : real;
    }
  }
  return undefined;
}

const memo = new Map();
function resolved(specifier, file, options, kind) {
  const plain = specifier.replace(/^.*!/, "").replace(/\?.*$/, "") || specifier;
  if (kind === "path") {
    const at = path.resolve(path.dirname(file), plain);
    const found = [at, at + ".ts", at + ".d.ts"].find((one) => known.has(one));
    return { isPassed: false, files: found ? [found] : [] };
  }
  const key = [path.dirname(file), options.configFilePath, kind, plain].join("\0");
  if (!memo.has(key)) {
    const first = tried(plain, file, options, kind, true);
    const found = first ? [first] : [];
    // What is declared is meant as well as the declaration.
    if (first && DECLARATION.test(first)) found.push(tried(plain, file, options, kind, false));
    const isPassed = passed.has(plain + "\0" + file);
    memo.set(key, { isPassed, files: found.filter((one) => one !== undefined) });
  }
  return memo.get(key);
}

const roots = new Set(
  tracked
    .filter((one) => /(^|\/)(package\.json|pnpm-workspace\.yaml|lerna\.json)$/.test(one))
    .map((one) => path.join(root, path.dirname(one))),
);
for (const folder of roots) {
  try {
    link(folder);
  } catch (problem) {
    console.error(`${folder}: ${problem.message}`);
  }
}
const edges = new Set();
const beyond = new Set();
for (const one of tracked.filter((name) => CODE.test(name))) {
  const file = path.join(root, one);
  const options = optionsOf(file);
  for (const [specifier, kind] of specifiers(file)) {
    const { isPassed, files } = resolved(specifier, file, options, kind);
    const found = files.filter((to) => known.has(to) && to !== file);
    for (const to of found) edges.add(JSON.stringify([one, path.relative(root, to)]));
    if (isPassed || found.every((to) => DECLARATION.test(to))) beyond.add(JSON.stringify([one, specifier]));
  }
}
const listed = (set) => [...set].map((one) => JSON.parse(one));
process.stdout.write(JSON.stringify({ edges: listed(edges), beyond: listed(beyond) }));
