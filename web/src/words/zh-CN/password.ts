import type { Translated } from '../translated.ts'
import type * as english from '../password.ts'

export const password: Translated<typeof english.password> = {
  show: '显示密码',
  hide: '隐藏密码',
}
