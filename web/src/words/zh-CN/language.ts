import type { Translated } from '../translated.ts'
import type { language as english } from '../language.ts'

export const language: Translated<typeof english> = {
  code: 'zh-CN',
  locale: 'zh-Hans',
  dir: 'ltr',
  description: 'Headrace 控制台：密钥、用量、限额和 Playground。',
}
