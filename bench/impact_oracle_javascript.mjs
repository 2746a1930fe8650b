// Notes which functions run while tests run; see impact_oracle_javascript.py.
//
// Loaded by mocha (--require) or node --test (--import), or as a setup file of vitest: hooks around the tests of
// a file ask V8 for precise coverage, whose counts begin anew with each question. What runs while
// modules are loaded is asked for before the first test, and so belongs to none.
import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector';

const session = new Session();
session.connect();

const asked = (method, parameters) => {
  let answer;
  session.post(method, parameters, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
};

asked('Profiler.enable');
asked('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const sources = new Map();
asked('Debugger.enable');

const sourceOf = (id) => {
  if (!sources.has(id)) sources.set(id, asked('Debugger.getScriptSource', { scriptId: id }));
  return sources.get(id).scriptSource;
};

const sent = new Set();

// Writes what ran since the last call: for each script its functions by place.
const note = (test) => {
  const { result } = asked('Profiler.takePreciseCoverage');
  if (test === null) return;
  const root = process.env.ORACLE_ROOT;
  for (const script of result) {
    const path = script.url.replace(/^file:\/\//, '').replace(/[?#].*$/, '');
    if (!path.startsWith(root) || path.includes('/node_modules/')) continue;
    const places = script.functions
      .filter((one) => one.functionName !== '' && one.ranges[0].count > 0)
      .map((one) => [one.functionName, one.ranges[0].startOffset]);
    if (places.length === 0) continue;
    const line = { test, path, script: `${process.pid}:${script.scriptId}`, places };
    if (!sent.has(script.scriptId)) {
      sent.add(script.scriptId);
      line.source = sourceOf(script.scriptId);
    }
    appendFileSync(process.env.ORACLE_OUT, `${JSON.stringify(line)}\n`);
  }
};

export const mochaHooks = {
  beforeAll() {
    note(null);
  },
  beforeEach() {
    note(null);
  },
  afterEach() {
    note(this.currentTest.file);
  },
};

if (process.env.NODE_TEST_CONTEXT) {
  const { before } = await import('node:test');
  before(() => note(null));
  process.on('exit', () => note(process.argv[1]));
}

if (process.env.VITEST) {
  const { beforeAll, afterAll, expect } = await import('vitest');
  beforeAll(() => note(null));
  afterAll(() => note(expect.getState().testPath));
}
