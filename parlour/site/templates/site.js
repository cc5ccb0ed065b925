// Script adds the theme switch, sorting, and the keys of the pages. Without it every page is whole.
"use strict";
const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// --- Theme
const THEMES = ["auto", "day", "night"];
const stored = () => { try { return localStorage.getItem("theme") || "auto"; } catch { return "auto"; } };
function useTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("theme", theme); } catch { /* a page from a disk may keep nothing */ }
  all("#theme button").forEach((button) => button.setAttribute("aria-pressed", button.textContent === theme));
}
const box = $("#theme");
for (const theme of box ? THEMES : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = theme;
  button.onclick = () => useTheme(theme);
  box.append(button);
}
if (box) { box.hidden = false; useTheme(stored()); }

// --- Sorting: #sort=won orders the table; the order by strength is the page itself.
const table = $("table[data-sorts]");
const original = table ? all("tbody", table).map((body) => [body, [...body.rows]]) : [];
function sorted() {
  const key = location.hash.startsWith("#sort=") ? location.hash.slice(6) : "";
  const heads = all("th[data-key]", table);
  const index = heads.findIndex((head) => head.dataset.key === key);
  heads.forEach((head, at) => at === index ? head.setAttribute("aria-sort", "descending") : head.removeAttribute("aria-sort"));
  table.classList.toggle("resorted", index >= 0);
  if (index < 0) { original.forEach(([body, rows]) => body.append(...rows)); return; }
  const value = (row) => {
    const text = $(`[data-of="${key}"]`, row)?.dataset.value ?? "";
    return text === "" ? -Infinity : Number(text);
  };
  const rows = original.flatMap(([, rows]) => rows);
  const names = key === "agent";
  rows.sort((a, b) => names ? $(".agent", a).textContent.localeCompare($(".agent", b).textContent) : value(b) - value(a));
  original[0][0].append(...rows);
}
if (table) { addEventListener("hashchange", sorted); sorted(); }

// --- The matrix of meetings: the pair under the pointer or in focus stands in the card; arrows move.
const card = $("#pair");
function showPair(cell) {
  if (!cell?.dataset.pair || !card) return;
  all(".matrix .focus").forEach((each) => each.classList.remove("focus"));
  cell.classList.add("focus");
  $(".words", card).textContent = cell.dataset.pair;
  $("a", card).href = cell.href;
}
all(".matrix.met").forEach((matrix) => {
  const cells = all("a[data-pair]", matrix);
  cells.forEach((cell, index) => { cell.tabIndex = index ? -1 : 0; });
  for (const kind of ["pointerover", "focusin"]) matrix.addEventListener(kind, (event) => showPair(event.target.closest("a[data-pair]")));
  matrix.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const at = event.target.closest("td");
    if (!step || !at) return;
    event.preventDefault();
    let row = at.parentNode.rowIndex, column = at.cellIndex, next;
    do {
      row += step[0]; column += step[1];
      next = matrix.rows[row]?.cells[column];
    } while (next && !$("a[data-pair]", next));
    if (next) $("a", next).focus();
  });
});

// --- Menus close when another place is pressed.
document.addEventListener("click", (event) => all("details.menu[open]").forEach((menu) => {
  if (!menu.contains(event.target)) menu.open = false;
}));

// --- Keys: t the theme. Keys do nothing in fields and with Ctrl, Alt or Cmd.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input,textarea,select")) return;
  if (event.key === "t" && box) useTheme(THEMES[(THEMES.indexOf(stored()) + 1) % 3]);
});

// --- Print opens what is folded.
addEventListener("beforeprint", () => all("details:not(.menu):not([open])").forEach((each) => { each.open = true; each.dataset.folded = ""; }));
addEventListener("afterprint", () => all("details[data-folded]").forEach((each) => { each.open = false; delete each.dataset.folded; }));
