"use strict";
// What the page shows: the training that runs, and those before it.
const element = (id) => document.getElementById(id);
const NAMES = ["n", "k", "width", "m", "init", "lr", "steps"];
const panels = [...document.querySelectorAll(".curve")];
const tried = new Map(); // by settings in words: which seeds learned, and when
let now = null; // the training that is shown
let lane = 0; // whose weights are shown

// -- choosing ---------------------------------------------------------------------------------------------------------

function chosen() {
  const given = {};
  for (const name of NAMES) {
    const said = element(name).value.trim().replace(/(?<=\d),(?=\d{3})/g, "");
    given[name] = said !== "" && Number.isFinite(Number(said)) ? Number(said) : said;
  }
  return { ...given, slow: element("slow").checked };
}

for (const button of document.querySelectorAll(".presets button")) {
  button.addEventListener("click", () => {
    const settings = JSON.parse(button.dataset.settings);
    for (const name of NAMES) element(name).value = settings[name] === null ? "online" : settings[name];
    mark(button);
    train(0);
  });
}

function mark(button) {
  for (const one of document.querySelectorAll(".presets button")) one.setAttribute("aria-pressed", one === button);
  element("see").textContent = button ? button.dataset.see : "Your own: change one thing at a time.";
}

element("settings").addEventListener("input", (event) => { if (event.target.id !== "slow") mark(null); });
element("settings").addEventListener("submit", (event) => { event.preventDefault(); train(0); });
element("more").addEventListener("click", () => {
  train(1 + Math.max(...tried.get(now.words).seeds.keys()), { ...now.settings, slow: chosen().slow });
});
element("stop").addEventListener("click", () => {
  post("stop", { number: now.number });
  finish("Stopped at step " + count(now.at));
});
addEventListener("pagehide", () => { if (now && !now.done) post("stop", { number: now.number }, { keepalive: true }); });
panels.forEach((panel, i) => panel.addEventListener("click", () => { lane = i; show(); ask(); }));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show());
addEventListener("resize", () => show());

// -- training ---------------------------------------------------------------------------------------------------------

async function train(first, given = chosen()) {
  const settings = { ...given, first };
  excuse("");
  let answer;
  try {
    answer = await post("start", { settings, seed: lane });
  } catch (error) {
    return lost();
  }
  if (answer.sorry) return excuse(answer.sorry);
  const networks = panels.map(() => ({ step: [], test: [], train: [], at: [], on: [], off: [], success: null }));
  now = { number: answer.number, words: answer.words, settings, networks, frames: 0, at: 0, picture: null,
    supports: null, done: false, began: Date.now() };
  element("python").textContent = answer.python;
  document.body.style.setProperty("--test", `var(--${settings.init === "sparse" ? "sparse" : "dense"})`);
  element("stop").disabled = false;
  element("more").disabled = true;
  tell("Training: " + answer.words);
  show();
  ask();
}

function excuse(why) {
  const field = NAMES.find((name) => why.startsWith(name + " "));
  for (const name of NAMES) element(name).removeAttribute("aria-invalid");
  element("sorry").textContent = why && why[0].toUpperCase() + why.slice(1) + (why.endsWith(".") ? "" : ".");
  if (!field) return;
  element("own").open = true;
  element(field).setAttribute("aria-invalid", "true");
  element(field).setAttribute("aria-describedby", "sorry");
  element(field).focus();
}

function take(answer) {
  if (now.done && answer.picture) now.picture = answer.picture;
  if (!now.done) {
    if (answer.replaced) return finish("Another page trains now");
    now.supports = answer.supports || now.supports;
    for (const frame of answer.frames || []) add(frame);
    if (answer.picture) now.picture = answer.picture;
    if (answer.sorry) { excuse(answer.sorry); return finish("Not finished"); }
    if (answer.ended) end(answer.lanes);
  }
  soon();
}

function add(frame) {
  now.frames += 1;
  Object.assign(now, { at: frame.step, taken: frame.taken, seconds: frame.seconds });
  for (const [i, news] of Object.entries(frame.lanes)) {
    const one = now.networks[i];
    for (const name of ["step", "test", "train"]) one[name].push(...news[name]);
    one.at.push(news.step.at(-1));
    one.on.push(news.on);
    one.off.push(news.off);
    one.success = news.success;
  }
}

function end(lanes) {
  lanes.forEach((one, i) => Object.assign(now.networks[i], one));
  finish("");
  const { init } = now.settings;
  if (!tried.has(now.words)) tried.set(now.words, { init, seeds: new Map() });
  now.networks.forEach((one, i) => tried.get(now.words).seeds.set(now.settings.first + i, one.success));
  list();
}

function finish(why) {
  now.done = true;
  now.why = why;
  element("stop").disabled = true;
  element("more").disabled = !(why === "");
  tell(`${why ? why + ". " : ""}${said()}`);
  soon();
}

function lost() {
  excuse("The page has lost its server; start glassware play again.");
  if (now && !now.done) finish("Not finished");
}

// -- showing ----------------------------------------------------------------------------------------------------------

function tell(words) { element("said").textContent = words; }

function said() {
  const steps = now.networks.map((one) => one.success).filter((step) => step !== null).sort((a, b) => a - b);
  const diverged = now.networks.filter((one) => one.diverged).length;
  const why = diverged ? `; ${diverged} diverged, the rate is too high` : "";
  if (!steps.length) return now.done && !now.why ? "None of 10 learned it" + why : "0 of 10 have learned it so far";
  const when = steps.length > 1 ? `between steps ${count(steps[0])} and ${count(steps.at(-1))}` : `at step ${count(steps[0])}`;
  return `${steps.length} of 10 learned it, ${when}${why}`;
}

function pace() {
  if (!now.frames) {
    const long = Date.now() - now.began > 6000;
    return long ? "The first training on a machine compiles its program: up to half a minute, once." : "Starting …";
  }
  const speed = Number((now.taken / now.seconds).toPrecision(2));
  const slow = now.settings.slow && !now.done ? ", shown in slow motion" : "";
  return `step ${count(now.at)} of ${count(now.settings.steps)} · ${count(speed)} model-steps per second${slow}`;
}

let waiting = false;
function soon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; show(); });
}

function show() {
  const last = now ? now.settings.steps : Number(element("steps").value) || 6000;
  const empty = { step: [], test: [], train: [], at: [], on: [], off: [], success: null };
  const networks = now ? now.networks : panels.map(() => empty);
  panels.forEach((panel, i) => {
    const one = networks[i];
    panel.classList.toggle("learned", one.success !== null);
    panel.setAttribute("aria-pressed", i === lane);
    panel.querySelector(".who").textContent = "seed " + (i + (now ? now.settings.first : 0));
    panel.querySelector(".what").textContent = verdict(one);
    drawErrors(panel.querySelector("canvas"), one, last, now && now.settings.m === "online");
  });
  const first = now ? now.settings.first : 0;
  element("trains").hidden = Boolean(now) && now.settings.m === "online";
  element("inside").textContent = "Inside the network of seed " + (first + lane);
  drawSizes(element("sizes"), networks[lane], last);
  if (!now) return drawWeights(element("weights"), null);
  element("luck").textContent = now.why || (now.frames ? said() : now.words);
  element("pace").textContent = pace();
  const share = Math.round(100 * now.at / last);
  element("bar").setAttribute("aria-valuenow", share);
  element("bar").firstElementChild.style.width = share + "%";
  inside(networks[lane]);
}

function verdict(one) {
  if (one.success !== null) return `learned at ${count(one.success)}`;
  if (one.diverged) return "diverged";
  if (!one.test.length) return "";
  const error = one.test.at(-1);
  return `${now.done && !now.why ? "not learned:" : "error"} ${(100 * error).toFixed(error > 0.095 && error < 0.105 ? 1 : 0)}%`;
}

function inside(one) {
  const { picture, supports } = now;
  const mine = picture && picture.lane === lane ? picture : null;
  const most = Math.max(0.01, ...one.on.filter(Number.isFinite), ...one.off.filter(Number.isFinite)); // so far
  drawWeights(element("weights"), mine, supports ? supports[lane] : [], most);
  element("most").textContent = mine ? size(most, 2) : "largest";
  if (!one.on.length) return;
  const [on, off] = [one.on.at(-1), one.off.at(-1)].map((one) => one === null ? "no number" : size(one, 2));
  const where = `seed ${now.settings.first + lane} at step ${count(now.at)}: the largest weight from an input that matters is ${on}, from any other ${off}`;
  element("sizes").setAttribute("aria-label", "Largest weights over the steps; " + where);
  element("weights").setAttribute("aria-label", mine ? `First-layer weights of ${where}; the inputs that matter are ` +
    supports[lane].map((input) => input + 1).join(", ") : "First-layer weights: not there yet");
}

// -- what was tried ---------------------------------------------------------------------------------------------------

async function list() {
  element("none").hidden = true;
  element("table").hidden = false;
  const rows = await Promise.all([...tried].map(async ([words, { init, seeds }]) => {
    const steps = [...seeds.values()].map((step) => step === null ? Infinity : step).sort((a, b) => a - b);
    const learned = steps.filter(Number.isFinite).length;
    const rate = await post("rate", { successes: learned, trials: steps.length });
    const middle = steps[Math.ceil(steps.length / 2) - 1];
    const row = document.createElement("tr");
    const percent = (share) => Math.round(100 * share) + "%";
    row.classList.toggle("newest", words === now.words);
    row.append(cell("th", words), cell("td", `${learned} of ${steps.length}`, "learned"),
      cell("td", `${percent(rate.low)} to ${percent(rate.high)}`, "95% interval"),
      cell("td", Number.isFinite(middle) ? count(middle) : "never", "median step"), cell("td", ""));
    const dots = document.createElement("div");
    dots.className = "dots";
    dots.style.setProperty("--of", `var(--${init})`);
    for (const seed of [...seeds.keys()].sort((a, b) => a - b)) {
      dots.append(document.createElement("span"));
      dots.lastChild.classList.toggle("yes", seeds.get(seed) !== null);
    }
    row.lastChild.append(dots);
    return row;
  }));
  element("rows").replaceChildren(...rows);
}

function cell(kind, text, label) {
  const made = document.createElement(kind);
  if (label) made.dataset.label = label;
  if (kind === "th") made.scope = "row";
  made.textContent = text;
  return made;
}

const ask = listen(() => ({ number: now ? now.number : 0, since: now ? now.frames : 0, seed: lane }),
  () => now !== null && !now.done, take, lost);
element("own").open = !matchMedia("(max-width: 46rem)").matches;
post("warm", {}).catch(() => {});
show();
