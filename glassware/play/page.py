"""The page: what to choose, what is seen, and what was tried. Its script fills in what the training says."""

from __future__ import annotations

import json

from glassware.play.settings import PRESETS, SEEDS, Preset
from glassware.reports.text import escape
from glassware.web.layout import field, frame

SCRIPTS = ("pictures.js", "talk.js", "play.js")
LABELS = {
    "n": ("n, inputs", "numeric"),
    "k": ("k, relevant", "numeric"),
    "width": ("width", "numeric"),
    "m": ("m, or online", "text"),
    "lr": ("lr, rate", "decimal"),
    "steps": ("steps", "numeric"),
}

BODY = """
<h1>Which inputs matter?</h1>
<p class="lead">Toss n coins. The label is the product of k of them, always the same ones, and no network is told which.
Ten networks that differ only in their random seed train here, on this machine, from m examples, while you watch. How
many find out?</p>

<section aria-labelledby="try">
<h2 id="try" class="heard">Try</h2>
<div class="presets">{presets}</div>
<p id="see" class="see" aria-live="polite">{see}</p>
<div class="choose">
<p id="sorry" role="alert"></p>
<details id="own" open><summary>Settings of your own</summary>
<form id="settings" novalidate aria-label="settings of your own">
{fields}
<label class="check"><input type="checkbox" id="slow" checked> slow motion</label>
</form></details>
<div class="buttons"><button type="submit" form="settings" id="train" class="main">Train ten</button>
<button type="button" id="stop" disabled>Stop</button>
<button type="button" id="more" disabled>Ten more seeds</button></div>
</div>
</section>

<section aria-labelledby="luck" class="live">
<div class="headline"><h2 id="luck">Press a button, and watch</h2><p id="pace" class="quiet"></p></div>
<div class="progress" role="progressbar" aria-label="steps taken" aria-valuemin="0" aria-valuemax="100"
 aria-valuenow="0" id="bar"><div></div></div>
<div class="both">
<div>
<h3 id="curves-name">Error, one panel per seed</h3>
<p class="key"><span class="line test"></span>on 1,000 new examples
<span id="trains"><span class="line train"></span>on examples it trains on</span> <span class="line ten"></span>10%
<span class="mark"></span>learned</p>
<div id="curves" role="group" aria-labelledby="curves-name">{curves}</div>
</div>
<div>
<h3 id="inside">Inside the network of seed 0</h3>
<p class="key"><span class="line on"></span>largest weight from an input that matters <span class="line off"></span>from
any other</p>
<canvas id="sizes" role="img" aria-label="Largest weights over the steps: nothing is trained yet"></canvas>
<p class="key">All weights: a column per neuron, a row per input, the ones that matter on top.
<span class="nowrap">|weight| 0 <span class="ramp"></span> <span id="most">largest</span></span></p>
<canvas id="weights" role="img" aria-label="First-layer weights: nothing is trained yet"></canvas>
</div>
</div>
</section>

<section aria-labelledby="tried">
<h2 id="tried">What you tried</h2>
<p id="none" class="quiet">Each training that ends adds its ten networks here, beside the ones before.</p>
<div class="scroll" tabindex="0" role="region" aria-label="what you tried" hidden id="table"><table>
<thead><tr><th scope="col">networks</th><th scope="col">learned</th><th scope="col">95% interval</th>
<th scope="col">median step</th><th scope="col">one dot per network</th></tr></thead>
<tbody id="rows"></tbody></table></div>
<details id="code"><summary>The same in Python</summary>
<p>These very numbers, from the library:</p><pre tabindex="0" id="python">{python}</pre></details>
</section>
<div id="said" class="heard" role="status" aria-live="polite"></div>
"""


def page(token: str, python: str) -> str:
    """The whole page.

    Args:
        token: what its script must send with every request.
        python: the program of the first preset.
    """
    first = PRESETS[0].settings.model_dump()
    boxes = {
        name: f'<input id="{name}" name="{name}" inputmode="{mode}" autocomplete="off" value="{escape(first[name])}">'
        for name, (_, mode) in LABELS.items()
    }
    fields = [field(label, name, boxes[name]) for name, (label, _) in LABELS.items()]
    options = '<option value="dense">dense</option><option value="sparse">sparse</option>'
    fields.insert(4, field("first weights", "init", f'<select id="init" name="init">{options}</select>'))
    body = BODY.format(
        presets="".join(map(_preset, PRESETS)),
        see=escape(PRESETS[0].see),
        fields="\n".join(fields),
        curves="".join(map(_curve, range(SEEDS))),
        python=escape(python),
    )
    files = ("style.css", "page.css", "play.css", *SCRIPTS)
    return frame("Play", body, files=files, bar='<span aria-current="page">Play</span>', data={"token": token})


def _preset(preset: Preset) -> str:
    """A button that fills in the form and trains."""
    chosen = json.dumps(preset.settings.model_dump())
    pressed = "true" if preset is PRESETS[0] else "false"
    return (
        f'<button type="button" aria-pressed="{pressed}" data-settings="{escape(chosen)}" '
        f'data-see="{escape(preset.see)}">{escape(preset.name)}</button>'
    )


def _curve(seed: int) -> str:
    """A seed's panel: a picture, and the same in words. It is a button: whose weights to show."""
    pressed = "true" if seed == 0 else "false"
    return (
        f'<button type="button" class="curve" aria-pressed="{pressed}" data-lane="{seed}"><canvas aria-hidden="true">'
        f'</canvas><span class="who">seed {seed}</span> <span class="what"></span></button>'
    )
