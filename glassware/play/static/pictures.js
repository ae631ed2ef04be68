"use strict";
// Draws on canvases, in the colours of the style sheet: errors of one network, its largest weights, all its weights.
const VIRIDIS = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137],
  [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37]];
const TOP = 0.6; // of the error axis

function colour(name) {
  return getComputedStyle(document.body).getPropertyValue("--" + name).trim();
}

// The canvas in the pixels of the screen, empty; drawing is in CSS pixels.
function blank(canvas) {
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.font = "11px system-ui, 'Liberation Sans', Arial, sans-serif";
  return { pen, width, height };
}

function count(number) {
  return number.toLocaleString("en-US");
}

// A weight; of a network that diverges it has too many digits.
function size(number, digits) {
  return number < 1000 ? number.toFixed(digits) : number.toExponential(0).replace("e+", "e");
}

// Axes from step 0 to the last and from 0 to the top; returns where a point lies.
function axes({ pen, width, height }, last, top, ticks, left) {
  const [right, bottom, ceiling] = [width - 4, height - 16, 6];
  const x = (step) => left + (right - left) * step / last;
  const y = (value) => bottom - (bottom - ceiling) * Math.min(value, top) / top;
  pen.fillStyle = colour("quiet");
  pen.strokeStyle = colour("line");
  pen.lineWidth = 1;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const [value, name] of ticks) {
    pen.fillText(name, left - 4, y(value));
    pen.beginPath();
    pen.moveTo(left, y(value));
    pen.lineTo(right, y(value));
    pen.stroke();
  }
  pen.textBaseline = "bottom";
  pen.textAlign = "left";
  pen.fillText("0", left, height - 1);
  pen.textAlign = "right";
  pen.fillText(count(last) + (width > 250 ? " steps" : ""), right, height - 1);
  return { x, y, left, right };
}

function line(pen, places, xs, ys, stroke, width) {
  pen.strokeStyle = stroke;
  pen.lineWidth = width;
  pen.lineJoin = "round";
  pen.beginPath();
  let drawn = false; // a number that is not one leaves a gap
  xs.forEach((x, i) => {
    if (ys[i] === null) { drawn = false; return; }
    if (drawn) pen.lineTo(places.x(x), places.y(ys[i]));
    else pen.moveTo(places.x(x), places.y(ys[i]));
    drawn = true;
  });
  pen.stroke();
}

function dot(pen, x, y, fill) {
  pen.fillStyle = fill;
  pen.strokeStyle = colour("ground");
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.arc(x, y, 4.5, 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
}

// Test and training error of one network over its steps, and where it learned.
function drawErrors(canvas, one, last, online) {
  const on = blank(canvas);
  const { pen } = on;
  const places = axes(on, last, TOP, [[0, "0"], [0.5, "50%"]], 32);
  pen.strokeStyle = colour("quiet");
  pen.lineWidth = 1;
  pen.setLineDash([3, 3]);
  pen.beginPath();
  pen.moveTo(places.left, places.y(0.1));
  pen.lineTo(places.right, places.y(0.1));
  pen.stroke();
  pen.setLineDash([]);
  if (!online) line(pen, places, one.step, one.train, colour("train"), 1.5);
  line(pen, places, one.step, one.test, colour("test"), 2);
  if (one.success === null) return;
  const at = one.step.indexOf(one.success);
  if (at >= 0) dot(pen, places.x(one.success), places.y(one.test[at]), colour("good"));
}

// The largest weight from inputs that matter and from the others, over the steps of one network.
function drawSizes(canvas, one, last) {
  const on = blank(canvas);
  const top = Math.max(0.5, ...one.on.filter(Number.isFinite), ...one.off.filter(Number.isFinite)) * 1.08;
  const unit = [0.2, 0.5, 1, 2, 5, 10, 100, 1000].find((step) => top / step <= 3.5) || top / 2;
  const ticks = [];
  for (let i = 0; i * unit <= top; i++) ticks.push([i * unit, i ? size(i * unit, unit < 1 ? 1 : 0) : "0"]);
  const places = axes(on, last, top, ticks, 32);
  if (one.success !== null) {
    on.pen.strokeStyle = colour("good");
    on.pen.lineWidth = 1.5;
    on.pen.beginPath();
    on.pen.moveTo(places.x(one.success), places.y(0));
    on.pen.lineTo(places.x(one.success), places.y(top));
    on.pen.stroke();
    const early = one.success < last / 2;
    on.pen.fillStyle = colour("good");
    on.pen.textAlign = early ? "left" : "right";
    on.pen.textBaseline = "top";
    on.pen.fillText("learned", places.x(one.success) + (early ? 5 : -5), 5);
  }
  line(on.pen, places, one.at, one.off, colour("off"), 2);
  line(on.pen, places, one.at, one.on, colour("on"), 2);
}

// Sizes of all first-layer weights: rows are inputs, those that matter first and taller; columns are neurons.
function drawWeights(canvas, picture, support, most) {
  const { pen, width, height } = blank(canvas);
  if (!picture) return;
  const { inputs, units } = picture;
  const bytes = Int8Array.from(atob(picture.data), (letter) => letter.charCodeAt(0));
  const others = [...Array(inputs).keys()].filter((i) => !support.includes(i));
  const [left, gap, tall] = [60, 7, Math.min(18, 0.4 * height / support.length)];
  const columns = Math.max(1, Math.min(units, Math.round((width - left) * (window.devicePixelRatio || 1))));
  const paint = (rows, top, size) => {
    const image = new ImageData(columns, rows.length);
    rows.forEach((input, row) => {
      for (let column = 0; column < columns; column++) { // where neurons share a pixel, the largest is seen
        let largest = 0;
        const end = Math.max(Math.floor(column * units / columns) + 1, Math.floor((column + 1) * units / columns));
        for (let unit = Math.floor(column * units / columns); unit < end; unit++) {
          largest = Math.max(largest, Math.abs(bytes[input * units + unit]));
        }
        image.data.set(shade(largest / 127 * picture.scale / most), 4 * (row * columns + column));
      }
    });
    const small = document.createElement("canvas");
    [small.width, small.height] = [columns, rows.length];
    small.getContext("2d").putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(small, left, top, width - left, size);
  };
  const high = tall * support.length;
  paint(support, 0, high);
  if (others.length) paint(others, high + gap, height - high - gap);
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillStyle = colour("on");
  support.forEach((input, row) => {
    pen.fillText("input " + (input + 1), left - 6, tall * (row + 0.5));
    if (row) pen.clearRect(left, tall * row - 0.5, width - left, 1);
  });
  pen.fillStyle = colour("quiet");
  if (others.length) pen.fillText("others", left - 6, (height + high + gap) / 2);
}

function shade(share) {
  const place = Math.max(0, Math.min(1, share)) * (VIRIDIS.length - 1);
  const low = Math.min(Math.floor(place), VIRIDIS.length - 2);
  return [...VIRIDIS[low].map((from, i) => from + (VIRIDIS[low + 1][i] - from) * (place - low)), 255];
}
