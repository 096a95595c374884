/** Shares the address of a page, or the one of `box`, with what the system has for it, or copies it where there is nothing. */
export function shareFrom(box) {
  if (!navigator.share && !navigator.clipboard) return
  const [button, status] = box.children
  const url = box.dataset.url ?? document.querySelector('link[rel="canonical"]').href
  button.addEventListener('click', async () => {
    try {
      if (navigator.share) await navigator.share({ title: document.querySelector('h1').textContent, url })
      else {
        await navigator.clipboard.writeText(url)
        status.textContent = button.dataset.copied
      }
    } catch {
      // it was not wanted after all, or may not be done here: the address stands above the page
    }
  })
  box.hidden = false
}
