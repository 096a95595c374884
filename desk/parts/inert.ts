type Policy = { createHTML(html: string): string }
type Factory = { createPolicy(name: string, rules: Policy): Policy }

const { trustedTypes } = window as unknown as { trustedTypes?: Factory }
const policy = trustedTypes?.createPolicy('desk', { createHTML: (html) => html })

/** HTML as a tree that is no part of the page: nothing in it is loaded or run. It is the only way from text to elements. */
export const inertBody = (html: string): HTMLElement =>
  new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html').body
