// Resolves when the document changes, or after `limit` milliseconds.
(limit) => new Promise((resolve) => {
  const deadline = setTimeout(finish, limit);
  const observer = new MutationObserver(finish);
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  function finish() { observer.disconnect(); clearTimeout(deadline); resolve(true); }
})
