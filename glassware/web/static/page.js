"use strict";
// Draws figures, follows clicks on cells, and brings what is new. Without it every page is whole but for its figures.
const OPTIONS = { renderer: "svg", ast: true,
  actions: { export: true, source: false, compiled: false, editor: false } };
const POLL = 2000;
let views = [];

async function draw() {
  for (const view of views) view.finalize();
  views = [];
  for (const script of document.querySelectorAll("script.vega")) {
    const place = document.getElementById(script.dataset.for);
    try {
      const drawn = await vegaEmbed(place, JSON.parse(script.textContent), OPTIONS);
      views.push(drawn);
      nameFigure(place);
      const cells = document.getElementById("cells-of-" + script.dataset.for);
      if (cells) follow(drawn.view, JSON.parse(cells.textContent), script.dataset.for);
    } catch (error) {
      place.textContent = "This figure cannot be drawn: " + error.message;
    }
  }
}

// A click on a cell of a heat map: a line that says what it is, with a link to its runs.
function follow(view, cells, place) {
  view.addEventListener("click", (event, item) => {
    let datum = item && item.datum;
    while (datum && datum.cell === undefined && datum.datum) datum = datum.datum;
    const cell = datum && cells[datum.cell];
    const line = document.getElementById("picked-" + place);
    if (!cell || !line) return;
    const link = document.createElement("a");
    link.href = cell.address;
    link.textContent = cell.said;
    line.replaceChildren("The runs of this cell: ", link);
  });
}

async function fresh() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const focused = document.activeElement && document.activeElement.id;
  const [x, y] = [scrollX, scrollY];
  document.getElementById("content").replaceChildren(...page.getElementById("content").childNodes);
  document.body.dataset.mark = page.body.dataset.mark;
  document.body.dataset.live = page.body.dataset.live;
  await draw();
  if (focused && document.getElementById(focused)) document.getElementById(focused).focus({ preventScroll: true });
  scrollTo(x, y);
}

function tell(words, button) {
  const news = document.getElementById("news");
  news.replaceChildren(words);
  if (button) news.append(button);
}

function busy() {
  const at = document.activeElement;
  return at && ["INPUT", "SELECT"].includes(at.tagName);
}

let told = "";
async function poll() {
  try {
    if (document.visibilityState === "visible" && document.body.dataset.live !== "no") {
      const state = await (await fetch("/state")).json();
      const mark = state[document.body.dataset.of];
      if (mark !== document.body.dataset.mark && mark !== told) {
        if (document.body.dataset.live === "ask" || busy()) {
          told = mark;
          const button = document.createElement("button");
          button.textContent = "show";
          button.onclick = () => { tell(""); fresh(); };
          tell("There are new results.", button);
        } else {
          await fresh();
          tell(state.said);
        }
      }
    }
  } catch (error) {
    tell("The page has lost its server; start glassware open again.");
  }
  setTimeout(poll, POLL);
}

draw();
setTimeout(poll, POLL);
