
// --- Live: one event stream from the same origin. A page that is not the live one stays as it is.
const stream = document.body.dataset.events;
if (stream) {
  const live = $("#live"), pill = $("#pill"), news = $("#news");
  let held = false, first = null, last = null, heard = "";
  const put = (element, words) => { if (element && element.textContent !== words) element.textContent = words; };
  const draw = (now) => {
    if (first === null) first = now.over;
    put(pill, now.pill);
    pill.className = `pill ${now.colour}`;
    if (live) {
      put($("#finding"), now.finding);
      const count = document.createElement("b");
      count.textContent = now.over.toLocaleString("en");
      $("#facts").replaceChildren(count, now.facts);
      for (const name of ["done", "playing"]) $(`.progress .${name}`).setAttribute("width", now[name]);
      if (live.dataset.drawn !== now.body) {
        const ranks = $("#now:hover", live);  // stays as it is under the pointer
        const link = live.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
        live.innerHTML = now.body;
        live.dataset.drawn = now.body;
        if (ranks) $("#now", live)?.replaceWith(ranks);
        if (link) all("a", live).find((each) => each.getAttribute("href") === link)?.focus({ preventScroll: true });
      }
      put($("#heard"), `Updated ${heard} UTC. "." holds the page still.`);
    } else if (now.over > first) {
      const more = now.over - first;
      put(news, "");
      const link = document.createElement("a");
      link.href = location.href;
      link.textContent = `${more} new match${more === 1 ? "" : "es"} · show`;
      news.replaceChildren(link);
    }
  };
  let source;
  const listen = () => {
    source = new EventSource(stream);
    source.onmessage = (event) => {
      heard = new Date().toISOString().slice(11, 19);
      last = JSON.parse(event.data);
      if (!held) draw(last);
      if (last.end) source.close();
    };
    source.onerror = () => {
      if (last?.end) return;
      pill.className = "pill lost";
      if (heard) put(pill, `last heard ${heard}`);
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 30000);
    };
  };
  listen();
  document.addEventListener("keydown", (event) => {
    if (event.key !== "." || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input,textarea,select")) return;
    held = !held;
    if (!held && last) draw(last);
    else put($("#heard"), 'Held still. "." goes on.');
  });
}
