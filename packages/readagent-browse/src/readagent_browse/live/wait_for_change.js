// Resolves when the document changes, or a shadow root or a frame of its origin in it, or after `limit` milliseconds.
(limit) => new Promise((resolve) => {
  const deadline = setTimeout(finish, limit);
  const observer = new MutationObserver(finish);
  function watch(root) {
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    for (const element of root.querySelectorAll("*")) {
      const inside = element.shadowRoot || element.tagName === "IFRAME" && element.contentDocument;
      if (inside) watch(inside);
    }
  }
  watch(document);
  function finish() { observer.disconnect(); clearTimeout(deadline); resolve(true); }
})
