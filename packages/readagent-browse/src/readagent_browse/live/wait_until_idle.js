// Resolves once the document has not changed for `quiet` milliseconds and shows nothing that stands for content to come,
// or after `limit` milliseconds, with its state: "loading", "written" (a script began to write it and has not said that it
// is finished), "parsed" (pictures and frames may be missing), or "complete". It is complete `patience` ms after it is
// parsed. What stands for content to come is waited for once: a skeleton, or a main part without anything in it. An element
// that changes again and again without getting longer, such as a clock, is not waited for.
([quiet, limit, patience]) => new Promise((resolve) => {
  const RESTLESS = 15;
  const BUSY = '[aria-busy="true"], [class*="skeleton" i], [data-testid*="skeleton" i]';
  const SHOWN = /-|^(img|picture|svg|canvas|video|audio|iframe|object|embed|input|textarea|select|button|slot)$/i;
  const known = (window[Symbol.for("readagent-busy")] ||= new WeakSet());
  let timer = setTimeout(look, quiet);
  const deadline = setTimeout(finish, limit);
  const changes = new Map(); // of each element: how often it changed without getting longer, and its greatest length
  function isRestless({ target }) {
    const { length } = target.textContent;
    const [times, longest] = changes.get(target) || [0, -1];
    changes.set(target, [length > longest ? times : times + 1, Math.max(length, longest)]);
    return times > RESTLESS;
  }
  const observer = new MutationObserver((seen) => {
    if (seen.map(isRestless).every(Boolean)) return;
    clearTimeout(timer);
    timer = setTimeout(look, quiet);
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  function state() {
    if (document.readyState === "complete") return "complete";
    const [navigation] = performance.getEntriesByType("navigation");
    const parsed = navigation ? navigation.domInteractive : 0;
    if (document.readyState === "loading") return parsed || location.protocol === "about:" ? "written" : "loading";
    return performance.now() - parsed > patience ? "complete" : "parsed";
  }
  function isBlank(main) {
    return !main.innerText.trim() && !main.shadowRoot && ![...main.querySelectorAll("*")].some((one) => SHOWN.test(one.tagName));
  }
  function busy() {
    return [...document.querySelectorAll(BUSY), ...[...document.querySelectorAll("main, [role=main]")].filter(isBlank)]
      .filter((one) => one.checkVisibility() && !known.has(one));
  }
  function look() { if (busy().length) timer = setTimeout(look, quiet); else finish(); }
  function finish() {
    observer.disconnect();
    clearTimeout(timer);
    clearTimeout(deadline);
    busy().forEach((one) => known.add(one));
    resolve(state());
  }
})
