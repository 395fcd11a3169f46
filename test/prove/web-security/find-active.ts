import type { Page } from 'playwright-core'

/** Runs in the page: what could act, of all that the document contains. */
export const FIND_ACTIVE = `(() => {
  const found = globalThis.zqHit === undefined ? [] : ['a script ran']
  const ACTIVE = ['applet', 'base', 'embed', 'frame', 'iframe', 'math', 'object', 'style', 'video']
  const ADDRESSES = ['action', 'background', 'data', 'formaction', 'href', 'ping', 'poster', 'src',
    'srcset', 'xlink:href']
  for (const element of document.querySelectorAll('*')) {
    const name = element.localName
    if (ACTIVE.includes(name)) found.push(name)
    if (name === 'meta' && element.httpEquiv !== '') found.push('meta http-equiv')
    if (name === 'script' && element.src === '') found.push('inline script')
    for (const { name: attribute, value } of element.attributes) {
      if (attribute.startsWith('on') || attribute === 'srcdoc') found.push(name + ' ' + attribute)
      if (!ADDRESSES.includes(attribute)) continue
      const url = URL.parse(value, location.href)
      const isLink = name === 'a' && attribute === 'href'
      if (isLink && ['http:', 'https:', 'mailto:'].includes(url?.protocol)) {
        if (url.origin === location.origin || url.protocol === 'mailto:') continue
        if (!element.rel.includes('noopener')) found.push('link without noopener')
      } else if (url?.origin !== location.origin && !value.startsWith('data:image/'))
        found.push(name + ' ' + attribute + '=' + value.slice(0, 60))
    }
  }
  return found
})()`

export async function findActive(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(FIND_ACTIVE)
}
