import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))

/** The id that GitHub gives to a heading, because links between the pages must work there too. */
function slugify(heading: string): string {
  const kept = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
  return kept.trim().replaceAll(/\s/g, '-')
}

const FONT = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '' }

export default {
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  title: 'Headrace',
  description: 'Turn your own GPU servers into an inference service for many teams or customers.',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base()}favicon.svg` }]],
  // One script with the list of pages instead of a copy in every page.
  metaChunk: true,
  // A reader opens a few of the pages that the sidebar links to, and loads only these.
  router: { prefetchLinks: false },
  markdown: {
    anchor: { slugify },
    headers: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: {
    // VitePress looks for a file of this name; ours says what is inside.
    resolve: {
      alias: [
        {
          find: /^@theme\/index$/,
          replacement: fileURLToPath(new URL('./look/look.js', import.meta.url)),
        },
        {
          find: /^.*\/VPSidebarGroup\.vue$/,
          replacement: fileURLToPath(new URL('./look/sidebar-group.js', import.meta.url)),
        },
      ],
    },
    build: { chunkSizeWarningLimit: 4_000, reportCompressedSize: false },
  },
  // The page shows its own font from the start only if the font arrives early.
  transformHead: ({ assets }: { readonly assets: readonly string[] }) =>
    assets
      .filter((path) => /\/inter\.[\w-]+\.woff2$/.test(path))
      .map((href) => ['link', { ...FONT, href }]),
  // The theme gives the first page no landmark, and loads the search box and an empty style sheet
  // before a page is shown.
  transformHtml: (html: string) =>
    html
      .replace('<div class="VPContent is-home"', '<div role="main" class="VPContent is-home"')
      .replace(/<link rel="modulepreload" href="[^"]*VPLocalSearchBox[^"]*">\s*/, '')
      .replace(/<link rel="preload stylesheet" href="[^"]*vp-icons\.css"[^>]*>\s*/, ''),
  themeConfig: {
    logo: { src: '/favicon.svg', alt: '' },
    sidebar: read('../.pages/sidebar.json'),
    nav: [
      { text: 'Documentation', link: '/contents' },
      { text: 'Install', link: '/install/' },
      { text: 'API reference', link: '/reference/api/' },
      { text: 'Changelog', link: '/changelog' },
    ],
    outline: { level: [2, 3] },
    // Options that are functions would be evaluated in the page, which the console's policy forbids.
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
  },
}

function base(): string {
  const at = process.argv.indexOf('--base')
  return process.argv[at + 1] ?? '/'
}
