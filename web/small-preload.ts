import type { Plugin } from 'vite'

/**
 * What every page needs before it is shown: its styles. Vite's own helper is four times as long,
 * for old browsers, scripts and nonces, and a part of the shell.
 */
const HELPER = `
const loading = {}
const load = (href) => new Promise((done, fail) => {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.crossOrigin = ''
  link.href = href
  link.onload = done
  link.onerror = () => {
    delete loading[href]
    link.remove()
    fail(new Error('cannot load ' + href))
  }
  document.head.append(link)
})
export const __vitePreload = (page, styles = [], at) =>
  Promise.all(styles.map((style) => {
    const { href } = new URL(style, at)
    return loading[href] ??= load(href)
  })).then(page)
`

export function smallPreload(): Plugin {
  return {
    name: 'small-preload',
    enforce: 'pre',
    apply: 'build',
    load: (id) => (id === '\0vite/preload-helper.js' ? HELPER : undefined),
  }
}
