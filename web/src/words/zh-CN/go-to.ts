import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../go-to.ts'

export const goTo: Translated<typeof english.goTo> = {
  title: '前往',
  placeholder: '页面、操作、名称或请求 ID',
  groups: {
    request: '请求',
    pages: '页面',
    actions: '操作',
    keys: '密钥',
    projects: '项目',
    models: '模型',
    members: '成员',
    organizations: '组织',
    account: '您的账户',
    operator: '运营者',
  },
  createKey: '创建密钥',
  invite: '邀请成员',
  themes: {
    light: '浅色主题',
    dark: '深色主题',
    system: '跟随系统',
  },
  request: (id) => `请求 ${id}`,
  nothing: '未找到任何内容。',
  results: (count) => counted(count, { other: '# 个结果' }),
  hints: [
    ['↑ ↓', '选择'],
    ['Enter', '前往'],
    ['Esc', '关闭'],
  ],
}
