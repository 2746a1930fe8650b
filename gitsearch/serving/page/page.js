// The page of `git search serve`. All text of repositories becomes text nodes, never markup.
const byId = (id) => document.getElementById(id);
const [query, repository, type, edited, list, more, status] =
  ["q", "repository", "type", "edited", "list", "more", "status"].map(byId);
const TABS = ["search", "history", "impact"];
const PAUSE = 20; // milliseconds without a key before a question is asked: two keys at once are one

const state = { tab: "search", chosen: -1, target: null, next: null, asking: null, timer: 0 };
const start = new URLSearchParams(location.hash.slice(1));
const token = start.get("token");

const element = (name, content = "", attributes = {}) => {
  const made = document.createElement(name);
  made.append(...[content].flat());
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

async function ask(kind, parameters, signal) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const given = Object.entries(parameters).filter(([, value]) => value);
  const response = await fetch(`/api/${kind}?${new URLSearchParams(given)}`, { headers, signal });
  const answer = await response.json();
  if (answer.error) throw new Error([answer.error.message, answer.error.hint].filter(Boolean).join("; "));
  return answer;
}

function parametersOf(tab) {
  if (tab === "impact") return state.target;
  const common = { q: query.value.trim(), repository: repository.value };
  return tab === "history" ? common : { ...common, type: type.value, edited: edited.checked ? "1" : "" };
}

async function show(further = "") {
  state.asking?.abort();
  const { tab } = state;
  for (const name of TABS) byId(`tab-${name}`).setAttribute("aria-selected", name === tab);
  const parameters = parametersOf(tab);
  remember();
  if (!parameters || (tab !== "impact" && !parameters.q)) {
    clear(tab === "impact" ? "choose a result, then press i" : "");
    return;
  }
  const asking = (state.asking = new AbortController());
  const began = performance.now();
  try {
    const answer = await ask(tab, { ...parameters, continue: further }, asking.signal);
    if (!further) clear();
    RENDER[tab](answer);
    state.next = answer.next ?? null;
    more.hidden = !state.next;
    const left = (answer.unsearched ?? []).length;
    const pending = answer.complete === false ? "; not all is indexed yet" : "";
    status.textContent =
      `${list.children.length} results, ${Math.round(performance.now() - began)} ms` +
      (left ? `; ${left} not searched` : "") + pending;
    status.title = (answer.warnings ?? []).join("\n");
    choose(further ? state.chosen : 0, false);
  } catch (error) {
    if (error.name !== "AbortError") clear(error.message);
  }
}

function clear(message = "") {
  list.replaceChildren(...(message ? [element("li", element("div", message, { class: "said" }))] : []));
  Object.assign(state, { chosen: -1, next: null });
  more.hidden = true;
  status.textContent = "";
}

function heading(one, url) {
  const lines = one.end > one.start ? `${one.start}-${one.end}` : `${one.start}`;
  const place = one.path ? `${one.repository ? `${one.repository}:` : ""}${one.path}:${lines}` : "";
  return url ? element("a", place, { href: url, rel: "noreferrer noopener" }) : element("span", place);
}

const RENDER = {
  search(answer) {
    for (const one of answer.results) {
      const code = element("pre", one.pieces.map(([name, text]) => (name ? element("span", text, { class: name }) : text)));
      const title = element("h2", [heading(one, one.url), element("small", one.symbol ?? one.kind)]);
      const item = element("li", [title, code]);
      item.target = { repository: one.repository, path: one.path, line: String(one.start) };
      list.append(item);
    }
  },
  history(answer) {
    for (const one of answer.results) {
      const lines = one.text.split("\n").map((line) => {
        const kind = { "+": "added", "-": "removed" }[line[0]] ?? "";
        return element("span", `${line}\n`, kind ? { class: kind } : {});
      });
      const about = `${one.commit.slice(0, 10)} ${one.date.slice(0, 10)} ${one.author}`;
      const title = element("h2", [element("b", one.subject), element("small", about), element("br"), heading(one)]);
      list.append(element("li", one.text ? [title, element("pre", lines)] : [title]));
    }
  },
  impact(answer) {
    for (const one of answer.dependents) {
      const reason = `${one.label}, ${Math.round(100 * one.likelihood)} %${one.test ? ", test" : ""}`;
      const via = (one.via ?? []).join(" → ");
      list.append(element("li", element("h2", [element("b", one.path), element("small", reason), element("br"), element("small", via)])));
    }
    if (!answer.dependents.length) clear("nothing that is known depends on this");
  },
};

function choose(place, scrolls = true) {
  const items = [...list.children];
  state.chosen = Math.max(-1, Math.min(place, items.length - 1));
  items.forEach((item, i) => item.setAttribute("aria-current", i === state.chosen));
  const chosen = items[state.chosen];
  if (chosen?.target) state.target = chosen.target;
  if (chosen && scrolls) chosen.scrollIntoView({ block: "nearest" });
}

function open(tab) {
  state.tab = tab;
  show();
}

function remember() {
  const values = { q: query.value, repository: repository.value, type: type.value, tab: state.tab, token };
  const given = Object.entries(values).filter(([, value]) => value);
  history.replaceState(null, "", `#${new URLSearchParams(given)}`);
}

function typed() {
  clearTimeout(state.timer);
  if (state.tab === "impact") state.tab = "search";
  state.timer = setTimeout(show, PAUSE);
}

const KEYS = {
  "/": () => query.focus(),
  j: () => choose(state.chosen + 1),
  k: () => choose(state.chosen - 1),
  ArrowDown: () => choose(state.chosen + 1),
  ArrowUp: () => choose(state.chosen - 1),
  Enter: () => list.children[state.chosen]?.querySelector("a")?.click(),
  c: () => open("search"),
  h: () => open("history"),
  i: () => open("impact"),
  Escape: () => (state.tab === "search" ? query.focus() : open("search")),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target === query;
  if (typing && ["Enter", "ArrowDown", "Escape"].includes(event.key)) {
    event.preventDefault();
    query.blur();
    if (event.key === "ArrowDown") choose(0);
    return;
  }
  if (typing || event.target.tagName === "SELECT" || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
byId("form").addEventListener("submit", (event) => event.preventDefault());
query.addEventListener("input", typed);
for (const filter of [repository, type, edited]) filter.addEventListener("change", () => show());
for (const name of TABS) byId(`tab-${name}`).addEventListener("click", () => open(name));
more.addEventListener("click", () => show(state.next));

query.value = start.get("q") ?? "";
state.tab = TABS.includes(start.get("tab")) && start.get("tab") !== "impact" ? start.get("tab") : "search";
try {
  const served = await ask("repositories", {});
  for (const one of served.repositories) repository.append(element("option", one.name, { value: one.name }));
  for (const name of served.languages) type.append(element("option", name, { value: name }));
  repository.value = start.get("repository") ?? "";
  type.value = start.get("type") ?? "";
  await show();
} catch (error) {
  clear(error.message);
}
