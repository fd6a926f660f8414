// SPDX-License-Identifier: Apache-2.0
// The timeline: rows of the units, the bus and the scratchpads over the cycles in view.
// `data` is what tools/trace_page.cc wrote; docs/timelines.md has its form.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const UNITS = ["LOAD", "GEMM", "VECTOR", "STORE"];
const KINDS = ["busy", "token", "memory", "hazard", "idle"];
const WORDS = ["busy", "waits for a token", "waits for memory", "waits for a bank or its pipeline", "idle"];
const COLORS = ["#2e7d32", "#f9a825", "#c62828", "#6a1b9a", "#e0e0e0"];
const BUS = ["fetch", "load", "store"], BUS_COLORS = ["#78909c", "#1565c0", "#00838f"];
const byId = (id) => document.getElementById(id);
const grouped = (n) => Math.round(n).toLocaleString("en-US");
const layerColor = (l) => (l < 0 ? "#9e9e9e" : `hsl(${(l * 67) % 360} 55% 60%)`);

// An instruction's fields in data.insns.
const FIELDS = ["unit", "insn", "layer", "text", "taken", "begin", "end", "busy", "token", "memory", "hazard", "idle"];
const insns = data.insns.map((row) => Object.fromEntries(FIELDS.map((f, i) => [f, row[i]])));
const ofUnit = UNITS.map((_, u) => insns.filter((i) => i.unit === u));
const view = { from: 0, to: data.cycles };
let chosen = null;

// Sums of a list of bins up to any cycle: what lies in [a, b) is sum(b) - sum(a).
function summed(bins, width) {
  const sums = [0];
  for (const value of bins) sums.push(sums[sums.length - 1] + value);
  return (cycle) => {
    const at = Math.min(Math.max(cycle / width, 0), bins.length), whole = Math.floor(at);
    return sums[whole] + (whole < bins.length ? (at - whole) * bins[whole] : 0);
  };
}
const spent = data.bins.units.map((kinds) => kinds.map((bins) => summed(bins, data.bins.width)));
const moved = data.bins.bus.map((bins) => summed(bins, data.bins.bus_width));

const rows = [];
function layOut() {
  rows.length = 0;
  let y = 2;
  const add = (name, kind, height, extra) => {
    rows.push({ name, kind, y: y + 13, height, ...extra });
    y += 13 + height + 4;
  };
  add("layers", "layers", 20);
  UNITS.forEach((name, unit) => {
    add(name, "activity", 24, { unit });
    y -= 4 + 13;
    add("", "insns", 14, { unit });
  });
  add(`bus, of ${data.bus_bytes} bytes a cycle each way`, "bus", 34);
  for (const use of data.use) add(`${use.name} in use, of ${grouped(use.bytes)} bytes`, "use", 20, { use });
  return y;
}

const canvas = byId("timeline"), pen = canvas.getContext("2d");
let wide = 1, scale = 1;
const toX = (cycle) => ((cycle - view.from) / (view.to - view.from)) * wide;
const toCycle = (x) => view.from + (x / wide) * (view.to - view.from);

function fill(color, x, y, w, h) {
  pen.fillStyle = color;
  pen.fillRect(x, y, w, h);
}

// Each column of pixels is split among what the cycles under it were spent on; idle is on top.
function drawActivity(row) {
  for (let x = 0; x < wide; ++x) {
    const a = toCycle(x), b = Math.min(toCycle(x + 1), data.cycles);
    let bottom = row.y + row.height;
    if (b <= a) break;
    fill(COLORS[4], x, row.y, 1, row.height);
    for (let k = 0; k < 4; ++k) {
      const h = ((spent[row.unit][k](b) - spent[row.unit][k](a)) / (b - a)) * row.height;
      fill(COLORS[k], x, bottom - h, 1, h);
      bottom -= h;
    }
  }
}

function drawSlices(list, row, color, label) {
  let drawn = -1;
  for (const item of list) {
    if (item.end <= view.from || item.begin >= view.to) continue;
    const x = Math.max(toX(item.begin), 0), w = Math.min(toX(item.end), wide) - x;
    if (x + w <= drawn + 0.5) continue; // under a pixel that is drawn
    fill(color(item), x, row.y, Math.max(w - (w > 3 ? 1 : 0), 0.7), row.height);
    drawn = x + w;
    if (w > 40) {
      pen.save();
      pen.beginPath();
      pen.rect(x, row.y, w - 2, row.height);
      pen.clip();
      pen.fillStyle = "#111";
      pen.fillText(label(item), x + 3, row.y + row.height - 4);
      pen.restore();
    }
  }
}

function drawBus(row) {
  for (let x = 0; x < wide; ++x) {
    const a = toCycle(x), b = Math.min(toCycle(x + 1), data.cycles);
    if (b <= a) break;
    const share = moved.map((sum) => (sum(b) - sum(a)) / (b - a));
    // Reads stand on the lower edge, writes on the middle: two channels.
    const half = row.height / 2, fetch = share[0] * half, load = share[1] * half, store = share[2] * half;
    fill(BUS_COLORS[1], x, row.y + row.height - load, 1, load);
    fill(BUS_COLORS[0], x, row.y + row.height - load - fetch, 1, fetch);
    fill(BUS_COLORS[2], x, row.y + half - store, 1, store);
  }
}

function drawUse(row) {
  for (let x = 0; x < wide; ++x) {
    const bin = Math.floor(toCycle(x) / data.bins.width);
    if (bin >= row.use.most.length) break;
    const h = (row.use.most[bin] / row.use.bytes) * row.height;
    fill("#5c6bc0", x, row.y + row.height - h, 1, h);
  }
}

function drawTokens() {
  if (chosen === null) return;
  const middle = (unit) => {
    const row = rows.find((r) => r.kind === "insns" && r.unit === unit);
    return row.y + row.height / 2;
  };
  pen.strokeStyle = "#d50000";
  pen.lineWidth = 1.5;
  for (const [from, to, push, pop] of data.tokens) {
    if (insns[from] !== chosen && insns[to] !== chosen) continue;
    const x0 = toX(push), x1 = toX(pop), y0 = middle(insns[from].unit), y1 = middle(insns[to].unit);
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    const angle = Math.atan2(y1 - y0, x1 - x0);
    for (const turn of [2.7, -2.7]) {
      pen.moveTo(x1, y1);
      pen.lineTo(x1 + 7 * Math.cos(angle + turn), y1 + 7 * Math.sin(angle + turn));
    }
    pen.stroke();
  }
}

function draw() {
  const height = layOut();
  wide = canvas.clientWidth;
  scale = window.devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(wide * scale);
  canvas.height = Math.round(height * scale);
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.font = "11px system-ui, sans-serif";
  fill("#ffffff", 0, 0, wide, height);
  for (const row of rows) {
    fill("#f7f7f7", 0, row.y, wide, row.height);
    if (row.kind === "layers") drawSlices(data.spans, row, (s) => layerColor(s.layer), (s) => data.layers[s.layer].name);
    if (row.kind === "activity") drawActivity(row);
    if (row.kind === "insns")
      drawSlices(ofUnit[row.unit], row, (i) => (i === chosen ? "#d50000" : layerColor(i.layer)), (i) => data.texts[i.text]);
    if (row.kind === "bus") drawBus(row);
    if (row.kind === "use") drawUse(row);
    pen.fillStyle = "#333";
    pen.fillText(row.name, 2, row.y - 3);
  }
  drawTokens();
  byId("range").textContent = `cycles ${grouped(view.from)} to ${grouped(view.to)}`;
}

function look(from, to) {
  const least = 32, span = Math.min(Math.max(to - from, least), data.cycles);
  view.from = Math.min(Math.max(from, 0), data.cycles - span);
  view.to = view.from + span;
  requestAnimationFrame(draw);
}
function zoom(factor, x) {
  const at = toCycle(x);
  look(at - (at - view.from) * factor, at + (view.to - at) * factor);
}
const move = (part) => look(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));

function choose(x, y) {
  const row = rows.find((r) => r.unit !== undefined && y >= r.y && y < r.y + r.height);
  const cycle = toCycle(x);
  chosen = (row && ofUnit[row.unit].find((i) => cycle >= i.begin && cycle < i.end)) || null;
  if (chosen) {
    const counts = KINDS.map((kind) => `${kind} ${grouped(chosen[kind])}`).join(", ");
    byId("insn").textContent =
      `${UNITS[chosen.unit]} instruction ${chosen.insn}: ${data.texts[chosen.text]}` +
      (chosen.layer >= 0 ? ` (${data.layers[chosen.layer].name})` : "") +
      `; taken in cycle ${grouped(chosen.taken)}, retired in ${grouped(chosen.end - 1)}` +
      `; cycles of ${UNITS[chosen.unit]} since it retired the one before: ${counts}`;
  }
  requestAnimationFrame(draw);
}

const fingers = new Map();
canvas.addEventListener("pointerdown", (e) => {
  canvas.setPointerCapture(e.pointerId);
  fingers.set(e.pointerId, { x: e.offsetX, start: e.offsetX });
});
canvas.addEventListener("pointermove", (e) => {
  const finger = fingers.get(e.pointerId);
  if (!finger) return;
  const others = [...fingers.entries()].filter(([id]) => id !== e.pointerId);
  if (others.length === 0) {
    const cycles = toCycle(finger.x) - toCycle(e.offsetX);
    look(view.from + cycles, view.to + cycles);
  } else {
    const other = others[0][1].x;
    const before = Math.max(Math.abs(finger.x - other), 8), after = Math.max(Math.abs(e.offsetX - other), 8);
    zoom(before / after, (e.offsetX + other) / 2);
  }
  finger.x = e.offsetX;
});
canvas.addEventListener("pointerup", (e) => {
  const finger = fingers.get(e.pointerId);
  fingers.delete(e.pointerId);
  if (finger && Math.abs(finger.start - e.offsetX) < 4) choose(e.offsetX, e.offsetY);
});
canvas.addEventListener("pointercancel", (e) => fingers.delete(e.pointerId));
canvas.addEventListener("wheel", (e) => {
  e.preventDefault();
  zoom(e.deltaY > 0 ? 1.25 : 0.8, e.offsetX);
}, { passive: false });
byId("in").onclick = () => zoom(0.5, wide / 2);
byId("out").onclick = () => zoom(2, wide / 2);
byId("left").onclick = () => move(-0.4);
byId("right").onclick = () => move(0.4);
byId("all").onclick = () => look(0, data.cycles);
window.addEventListener("resize", () => requestAnimationFrame(draw));
