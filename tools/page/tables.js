// SPDX-License-Identifier: Apache-2.0
// What stands around the timeline: the summary, where the cycles went, layers, the roofline.
"use strict";

function summary() {
  const ms = (data.cycles / (data.mhz * 1e3)).toFixed(3);
  byId("summary").textContent =
    `${data.device}, configuration ${data.config}: ${grouped(data.cycles)} cycles, ` +
    `${ms} ms at ${data.mhz} MHz; ${grouped(data.instructions)} instructions` + (data.error ? `; FAILED: ${data.error}` : "");
}

function whereTheyWent() {
  byId("legend").innerHTML = WORDS.map((word, k) => `<span class="key"><i style="background:${COLORS[k]}"></i>${word}</span>`).join("");
  byId("units").innerHTML = UNITS.map((name, u) => {
    const parts = data.units[u];
    const bar = parts.map((cycles, k) => `<div title="${WORDS[k]}: ${grouped(cycles)}" style="background:${COLORS[k]};flex:${cycles} 0 0"></div>`);
    return `<div class="unit"><b>${name}</b><div class="bar" id="bar-${name}">${bar.join("")}</div><span>${share(parts[0], data.cycles)}</span></div>`;
  }).join("");
}

const share = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "-");

// The unit that was busy longest, or what most of the four waited for.
function bound(layer) {
  if (layer.cycles === 0) return "-";
  const busy = layer.units.map((unit) => unit[0]);
  const most = busy.indexOf(Math.max(...busy));
  return `${UNITS[most]} ${share(busy[most], layer.cycles)}`;
}

const COLUMNS = [
  { name: "layer", text: true, of: (l) => l.name },
  { name: "operator", text: true, of: (l) => l.op },
  { name: "MACs", of: (l) => l.macs, show: grouped },
  { name: "cycles", of: (l) => l.cycles, show: grouped },
  { name: "of the run", of: (l) => l.cycles, show: (c) => share(c, data.cycles) },
  { name: "MACs used", of: (l) => (l.cycles ? l.macs / l.cycles / data.macs_per_cycle : 0), show: (v) => share(v, 1) },
  { name: "bytes read", of: (l) => l.read, show: grouped },
  { name: "written", of: (l) => l.written, show: grouped },
  { name: "busiest", text: true, of: bound },
];
const order = { column: -1, down: true };

function layerTable() {
  const table = byId("layers"), escape = (s) => { const e = document.createElement("span"); e.textContent = s; return e.innerHTML; };
  const shown = data.layers.map((layer, index) => ({ ...layer, index })).filter((layer) => layer.cycles > 0 || layer.macs > 0);
  if (order.column >= 0) {
    const of = COLUMNS[order.column].of, sign = order.down ? -1 : 1;
    shown.sort((a, b) => sign * (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0));
  }
  const head = COLUMNS.map((c, i) => `<th class="${c.text ? "text" : ""}" data-column="${i}">${c.name}${i === order.column ? (order.down ? " ▾" : " ▴") : ""}</th>`);
  const cell = (c, layer) => `<td class="${c.text ? "text" : ""}">${escape(c.show ? c.show(c.of(layer)) : c.of(layer))}</td>`;
  const sum = (of) => data.layers.reduce((total, layer) => total + of(layer), 0);
  const all = { name: "all", op: "", macs: sum((l) => l.macs), cycles: sum((l) => l.cycles), read: sum((l) => l.read), written: sum((l) => l.written), units: data.units };
  table.innerHTML = `<thead><tr>${head.join("")}</tr></thead><tbody>` +
    shown.map((layer) => `<tr data-layer="${layer.index}">${COLUMNS.map((c) => cell(c, layer)).join("")}</tr>`).join("") +
    `</tbody><tfoot><tr>${COLUMNS.map((c) => cell(c, all)).join("")}</tr></tfoot>`;
}
byId("layers").addEventListener("click", (e) => {
  const head = e.target.closest("th"), row = e.target.closest("tbody tr");
  if (head) {
    const column = Number(head.dataset.column);
    order.down = order.column === column ? !order.down : !COLUMNS[column].text;
    order.column = column;
    layerTable();
  } else if (row) {
    const span = data.spans.find((s) => s.layer === Number(row.dataset.layer));
    if (!span) return;
    const margin = 0.03 * (span.end - span.begin);
    look(span.begin - margin, span.end + margin);
    canvas.scrollIntoView({ block: "center" });
  }
});

function roofline() {
  const chart = byId("roofline"), p = chart.getContext("2d"), w = chart.clientWidth, h = chart.clientHeight;
  const dpr = window.devicePixelRatio || 1;
  chart.width = Math.round(w * dpr);
  chart.height = Math.round(h * dpr);
  p.setTransform(dpr, 0, 0, dpr, 0, 0);
  p.fillStyle = "#fff";
  p.fillRect(0, 0, w, h);
  const dots = data.layers.filter((l) => l.macs > 0 && l.cycles > 0 && l.read + l.written > 0)
    .map((l) => ({ name: l.name, x: l.macs / (l.read + l.written), y: l.macs / l.cycles, layer: data.layers.indexOf(l) }));
  // Reads and writes have a channel each.
  const peak = data.macs_per_cycle, slope = 2 * data.bus_bytes, knee = peak / slope;
  const xs = dots.map((d) => d.x).concat(knee), ys = dots.map((d) => d.y).concat(peak);
  const x0 = Math.log10(Math.min(...xs) / 4), x1 = Math.log10(Math.max(...xs) * 4);
  const y0 = Math.log10(Math.min(...ys) / 3), y1 = Math.log10(Math.max(...ys) * 3);
  const px = (v) => 46 + ((Math.log10(v) - x0) / (x1 - x0)) * (w - 56);
  const py = (v) => h - 26 - ((Math.log10(v) - y0) / (y1 - y0)) * (h - 40);
  p.font = "11px system-ui, sans-serif";
  p.fillStyle = "#666";
  p.strokeStyle = "#eee";
  for (let e = Math.ceil(x0); e <= x1; ++e) {
    p.strokeRect(px(10 ** e), 8, 0, h - 34);
    p.fillText(String(10 ** e), px(10 ** e) - 6, h - 12);
  }
  for (let e = Math.ceil(y0); e <= y1; ++e) {
    p.strokeRect(46, py(10 ** e), w - 56, 0);
    p.fillText(String(10 ** e), 4, py(10 ** e) + 4);
  }
  p.fillText("MACs a byte", w - 76, h - 2);
  p.fillText("MACs a cycle", 4, 12);
  p.strokeStyle = "#1565c0";
  p.lineWidth = 2;
  p.beginPath();
  p.moveTo(px(10 ** x0), py(slope * 10 ** x0));
  p.lineTo(px(knee), py(peak));
  p.lineTo(px(10 ** x1), py(peak));
  p.stroke();
  const labels = []; // drawn: one that would lie on another is left out
  for (const dot of dots) {
    p.fillStyle = layerColor(dot.layer);
    p.beginPath();
    p.arc(px(dot.x), py(dot.y), 5, 0, 7);
    p.fill();
    p.fillStyle = "#333";
    const at = { x: Math.max(Math.min(px(dot.x) + 8, w - 4 - p.measureText(dot.name).width), 4), y: py(dot.y) + 4 };
    if (labels.some((label) => Math.abs(label.x - at.x) < 150 && Math.abs(label.y - at.y) < 12)) continue;
    labels.push(at);
    p.fillText(dot.name, at.x, at.y);
  }
}

summary();
whereTheyWent();
layerTable();
draw();
roofline();
window.addEventListener("resize", roofline);
// For tests: where the rows are on the page, and whether anything is wider than the window.
for (const row of rows) {
  if (row.kind === "activity") canvas.setAttribute(`data-${row.name.toLowerCase()}`, `${row.y} ${row.height}`);
}
const place = canvas.getBoundingClientRect();
canvas.setAttribute("data-place", `${place.left + window.scrollX + canvas.clientLeft} ${place.top + window.scrollY + canvas.clientTop} ${wide}`);
document.body.setAttribute("data-overflow", document.documentElement.scrollWidth - document.documentElement.clientWidth);
