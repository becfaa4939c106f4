// Runs before the first paint, so that the chosen theme does not flash. A separate file, because the policy forbids
// inline scripts.
try {
  const theme = localStorage.getItem('dashboard.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's theme applies.
}
