
// --- A match: one step at a time. The page opens at the end; #s7 opens it at step 7.
const article = $("article[data-steps]");
const stepper = $("#stepper");
if (stepper) {
  const steps = all(".step", article);
  const slider = $("input", stepper);
  const rounds = steps.map((step, index) => step.dataset.round ? index + 1 : 0).filter(Boolean);
  const ticks = document.createElement("div");
  ticks.className = "ticks";
  ticks.setAttribute("aria-hidden", "true");
  let free = 0;
  steps.forEach((step, index) => {
    const tick = document.createElement("i");
    tick.className = step.classList.contains("troubled") ? "bad" : step.dataset.round ? "round" : "";
    const heading = $(".heading", step)?.textContent.trim();
    if (heading && index >= free) {  // where there is room
      tick.dataset.label = heading.replace(/^round /, "").split(" ")[0];
      free = index + steps.length / 12;
    }
    ticks.append(tick);
  });
  stepper.append(ticks);
  stepper.hidden = false;
  const board = $("#board"), folds = all(".fold details", article);
  let now = 0;
  const show = (wanted, scroll = true) => {
    const next = Math.max(1, Math.min(steps.length, wanted));
    if (next === now) return;
    now = next;
    const end = now === steps.length;
    article.classList.add("stepped");
    steps.forEach((step, index) => {
      step.classList.toggle("ahead", index >= now);
      step.classList.toggle("now", index === now - 1);
      ticks.children[index].classList.toggle("past", index < now);
    });
    $("#credits")?.classList.toggle("ahead", !end);
    for (const fold of folds) {
      fold.open = fold.contains(steps[now - 1]);
      fold.classList.toggle("ahead", steps.indexOf($(".step", fold)) >= now);
    }
    const last = steps.slice(0, now).reverse().find((step) => $(".boards", step));
    board.replaceChildren(...(last ? [...$(".boards", last).children].map((each) => each.cloneNode(true)) : []));
    for (const each of all("[id],[aria-labelledby]", board)) {  // an id stands once on a page
      if (each.id) each.id = `now-${each.id}`;
      const labels = each.getAttribute("aria-labelledby");
      if (labels) each.setAttribute("aria-labelledby", labels.split(" ").map((id) => `now-${id}`).join(" "));
    }
    board.hidden = false;
    slider.value = now;
    const words = steps[now - 1].innerText.replace(/\s+/g, " ").trim().slice(0, 120);
    slider.setAttribute("aria-valuetext", `step ${now} of ${steps.length}: ${words}`);
    $("output", stepper).textContent = `${now} of ${steps.length}${end ? ", the end" : ""}`;
    if (scroll) steps[now - 1].scrollIntoView({ block: "nearest" });
    if (scroll) history.replaceState(null, "", end ? location.pathname + location.search : `#s${now}`);
  };
  const asked = () => Number(/^#s(\d+)$/.exec(location.hash)?.[1] ?? 0);
  const press = (key) => {
    if (key === "ArrowLeft") show(now - 1);
    else if (key === "ArrowRight") show(now + 1);
    else if (key === "Home") show(1);
    else if (key === "End") show(steps.length);
    else if (key === "[") show(rounds.filter((at) => at < now).pop() ?? 1);
    else if (key === "]") show(rounds.find((at) => at > now) ?? steps.length);
    else return false;
    return true;
  };
  slider.oninput = () => show(Number(slider.value));
  all("button", stepper).forEach((button) => { button.onclick = () => press(button.dataset.key); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input,textarea,select")) return;
    if (press(event.key)) event.preventDefault();
  });
  addEventListener("hashchange", () => { if (asked()) show(asked()); });
  show(asked() || steps.length, false);
}
