import type { Translated } from '../translated.ts'
import type * as english from '../shortcuts.ts'

export const controlKey: Translated<typeof english.controlKey> = 'Ctrl'
export const goToShortcut: Translated<typeof english.goToShortcut> =
  '前往页面、名称或请求，或执行操作'

export const shortcutList: Translated<typeof english.shortcutList> = [
  ['g 然后 k', 'API 密钥'],
  ['g 然后 o', '概览'],
  ['g 然后 p', 'Playground'],
  ['g 然后 u', '用量'],
  ['g 然后 r', '请求'],
  ['Esc', '关闭对话框，停止流'],
  ['?', '此列表'],
]
