// The form in which the gist of a page is edited, in its tile of the map.

import { button, el, visible } from "./dom.js";
import { pageName } from "./format.js";

/** Open the form for a page of `map`, if it can be edited and no other form is open. */
export function editGist(map, number) {
  const tile = map.tiles.get(number);
  const page = map.pages.find((one) => one.number === number);
  if (!tile || !page?.gist || map.form || map.readOnly) return;
  const gist = tile.querySelector(".gist");
  const words = el("textarea", { rows: 6, dir: "auto", "aria-label": `Gist of ${pageName(page)}`, value: page.gist });
  const problem = el("p", { class: "problem", role: "alert" });
  let before = page.gist;
  const done = () => {
    map.form.remove();
    map.form = null;
    gist.hidden = false;
    tile.state = "";
    map.updateTile(map.pages.find((one) => one.number === number));
    map.setCurrent(number);
    tile.firstElementChild.focus({ preventScroll: true });
  };
  const submit = async (event) => {
    event.preventDefault();
    if (!words.value.trim()) return (problem.textContent = "A gist cannot be empty.");
    try {
      await map.save(number, words.value, before);
      done();
    } catch (error) {
      const now = map.pages.find((one) => one.number === number)?.gist ?? before;
      const changed = error.status === 409 && now !== before;
      const newer = `This gist was changed elsewhere. It is now: \u201c${now}\u201d Save again to replace that.`;
      problem.textContent = visible(changed ? newer : [error.message, error.hint].filter(Boolean).join(": "));
      if (changed) before = now;
    }
  };
  map.form = el(
    "form",
    { class: "gist-form", on: { submit } },
    words,
    problem,
    el(
      "div",
      { class: "buttons" },
      el("button", { class: "small main", text: "Save and pin" }),
      button("Cancel", done, { class: "small" }),
    ),
  );
  map.form.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") done();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) map.form.requestSubmit();
  });
  gist.hidden = true;
  tile.querySelector(".tile-tools")?.remove();
  tile.append(map.form);
  words.focus();
}
