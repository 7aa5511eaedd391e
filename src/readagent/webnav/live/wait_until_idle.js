// Waits until the page has not changed for `quiet` milliseconds, but no longer than `most`.
([quiet, most]) => new Promise((resolve) => {
  let timer = setTimeout(done, quiet);
  const last = setTimeout(done, most);
  const watch = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, quiet); });
  watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  function done() { watch.disconnect(); clearTimeout(timer); clearTimeout(last); resolve(true); }
})
