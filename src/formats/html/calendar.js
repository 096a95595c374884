// Smooths what works without it
if (document.querySelector('table.grid')) {
  const { walk } = await import('./month.js')
  walk(document, (link, day) => location.assign(`${link.href}#${day}`))
  document.getElementById(location.hash.slice(1))?.focus()
}
