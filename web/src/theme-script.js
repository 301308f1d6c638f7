// Sets the chosen theme and language before the first paint. Kept under 0.3 kB.
(() => {
  const html = document.documentElement;
  let chosen = {};
  try {
    chosen = localStorage;
  } catch {
    // Storage is blocked: the system's choices hold.
  }
  if (chosen.theme) html.dataset.theme = chosen.theme;
  html.lang = chosen.language || (/^ru/.test(navigator.language) ? "ru" : "en");
})();
