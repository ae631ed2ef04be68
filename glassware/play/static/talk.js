"use strict";
// Talks to the server: every request carries the page's token. Asking for what is new is also the sign that the page
// is still there; without it the training stops.
const OFTEN = 70, SELDOM = 1500, ENOUGH = 3; // milliseconds, milliseconds, failures

async function post(path, body, more) {
  const answer = await fetch("/" + path, { method: "POST", body: JSON.stringify(body), ...more,
    headers: { "content-type": "application/json", "x-glassware-token": document.body.dataset.token } });
  if (answer.status === 403) return { sorry: "This page is of an earlier glassware play: load it again." };
  return answer.json();
}

// Asks, for as long as the page is open, what is new; `wanted` says of which training, `busy` whether it goes on, `take`
// gets the answer. One question at a time: two at once would bring the same frames twice. Returns what makes it ask at
// once.
function listen(wanted, busy, take, lost) {
  let hurried = false, wake = () => {};
  async function ask() {
    for (let failed = 0; ;) {
      hurried = false;
      const asked = wanted();
      try {
        const answer = await post("look", asked);
        failed = 0;
        if (asked.number && asked.number === wanted().number) take(answer);
      } catch (error) {
        failed += 1;
        if (failed === ENOUGH) lost();
      }
      if (hurried && !failed) continue;
      const pause = busy() && !failed ? OFTEN : SELDOM;
      await new Promise((done) => { wake = done; setTimeout(done, pause); });
    }
  }
  ask();
  return () => { hurried = true; wake(); };
}
