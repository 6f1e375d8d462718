/* Runs before the first paint, so it is a classic script: the theme that was chosen, if any. */
(() => {
  try {
    const theme = localStorage.getItem('groundwire.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is closed: the system's theme it is.
  }
})();
