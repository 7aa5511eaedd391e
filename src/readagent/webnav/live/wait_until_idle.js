// Resolves once the document has not changed for `quiet` milliseconds, or after `limit` milliseconds, with its state:
// "loading", "parsed" (pictures and frames may be missing), or "complete". It is complete `patience` ms after it is parsed.
([quiet, limit, patience]) => new Promise((resolve) => {
  let timer = setTimeout(finish, quiet);
  const deadline = setTimeout(finish, limit);
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(finish, quiet); });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  function state() {
    if (document.readyState !== "interactive") return document.readyState;
    const [navigation] = performance.getEntriesByType("navigation");
    const parsed = navigation ? navigation.domInteractive : 0;
    return performance.now() - parsed > patience ? "complete" : "parsed";
  }
  function finish() { observer.disconnect(); clearTimeout(timer); clearTimeout(deadline); resolve(state()); }
})
