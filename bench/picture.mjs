// Takes a picture of a page: node picture.mjs <folder with node_modules> <file that says what>
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, file] = process.argv.slice(2);
const from = createRequire(`${modules}/package.json`);
const load = async (name) => (await import(pathToFileURL(from.resolve(name)))).default;
const [chromium, puppeteer] = [await load("@sparticuz/chromium"), await load("puppeteer-core")];

const { html, out } = JSON.parse(await readFile(file, "utf8"));
const browser = await puppeteer.launch({
  args: chromium.args,
  executablePath: await chromium.executablePath(),
  headless: "shell",
});
const page = await browser.newPage();
await page.setViewport({ width: 860, height: 400 });
await page.setContent(html);
await page.screenshot({ path: out, type: "webp", quality: 85, fullPage: true });
await browser.close();
