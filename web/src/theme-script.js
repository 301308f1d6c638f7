// Sets the chosen theme before the first paint. Kept under 0.3 kB.
(() => {
  let chosen = {};
  try {
    chosen = localStorage;
  } catch {
    // Storage is blocked: the system's choice holds.
  }
  if (chosen.theme) document.documentElement.dataset.theme = chosen.theme;
})();
