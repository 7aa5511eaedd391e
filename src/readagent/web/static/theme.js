// Runs before anything is painted, so that a chosen theme does not flash.
(() => {
  let chosen = "auto";
  try {
    chosen = localStorage.getItem("readagent.theme") || "auto";
  } catch {
    // storage is switched off: follow the system
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
