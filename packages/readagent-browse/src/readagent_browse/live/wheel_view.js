// Returns what is in a box and where in it an element is, as a text. Waits a moment for it to be another than `before`.
(box, [element, before]) => new Promise((resolve) => {
  let tries = 0;
  (function look() {
    const place = element.isConnected ? Math.round(element.getBoundingClientRect().top - box.getBoundingClientRect().top) : "";
    const view = `${place} ${box.innerText}`;
    if (view === before && (tries += 1) < 25) setTimeout(look, 20);
    else resolve(view);
  })();
})
