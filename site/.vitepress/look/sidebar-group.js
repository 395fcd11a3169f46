import { useData, withBase } from 'vitepress'
import { computed, h } from 'vue'

/**
 * The sidebar as text. The theme has a component for each link, which together take a phone longer
 * than the rest of a page. The router of VitePress opens the links of a text too.
 */
export default {
  props: { items: { type: Array, required: true } },
  setup(props) {
    const { page } = useData()
    const text = computed(() => {
      const here = `/${page.value.relativePath}`
      return props.items.map((section) => writeSection(section, here)).join('')
    })
    return () => h('div', { class: 'sections', innerHTML: text.value })
  },
}

function writeSection(section, here) {
  return `<section><h2>${writeItem(section, here)}</h2>${writeItems(section, here)}</section>`
}

function writeItems({ items = [] }, here) {
  const rows = items.map((item) => `<li>${writeItem(item, here)}${writeItems(item, here)}</li>`)
  return rows.length === 0 ? '' : `<ul>${rows.join('')}</ul>`
}

function writeItem({ text, link }, here) {
  const title = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  if (link === undefined) return title
  const address = withBase(link.replace(/(?<=\/)index\.md$/, '').replace(/\.md$/, '.html'))
  const current = link === here ? ' aria-current="page"' : ''
  return `<a href="${address}"${current}>${title}</a>`
}
