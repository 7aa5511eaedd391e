// Resolves with the state of the document once it has not changed for `quiet` milliseconds, or after `limit` milliseconds.
([quiet, limit]) => new Promise((resolve) => {
  let timer = setTimeout(finish, quiet);
  const deadline = setTimeout(finish, limit);
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(finish, quiet); });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  function finish() { observer.disconnect(); clearTimeout(timer); clearTimeout(deadline); resolve(document.readyState); }
})
