// Returns the current, the lowest and the highest value of a slider, each null if the page does not give it. Waits a moment
// for the current one to be another than `before`.
(slider, before) => new Promise((resolve) => {
  const number = (name) => {
    const text = slider.getAttribute(name);
    return text && Number.isFinite(Number(text)) ? Number(text) : null;
  };
  let tries = 0;
  (function look() {
    if (number("aria-valuenow") === before && (tries += 1) < 15) setTimeout(look, 10);
    else resolve([number("aria-valuenow"), number("aria-valuemin") ?? 0, number("aria-valuemax")]);
  })();
})
