import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../request-links.ts'

export const requestLinks: Translated<typeof english.requestLinks> = {
  make: '供支持使用的链接',
  title: '供支持使用的链接',
  text:
    '持有链接的人无需登录即可查看此请求的解释：不含内容，也不含人员、项目或密钥的名称。' +
    '每个链接都会记入审计日志。',
  lasts: '有效期',
  days: (days) => counted(days, { other: '# 天' }),
  create: '创建链接',
  link: '供支持使用的链接',
  once: (end) => `请立即复制：不会再次显示。有效至 ${end}，或直至被撤回。`,
  working: '有效的链接',
  all: '供支持使用的链接',
  allText: '每个链接向持有者显示一个请求。成员可查看自己创建的链接。',
  none: '目前没有有效的链接。',
  requestOf: (end) => `请求 …${end}`,
  until: (end) => `有效至 ${end}`,
  made: (name, time) => (name === undefined ? `创建于 ${time}` : `由 ${name} 创建，${time}`),
  withdraw: '撤回',
  withdrawn: '链接已撤回。',
  page: {
    loading: '请求',
    goneTitle: '此链接无效。',
    goneText:
      '它已被撤回或已过期，或请求已不再保留，或该组织仅在其自己的网络中显示请求。请向发送者索取' +
      '新的链接。',
    toConsole: '前往控制台',
    of: (organization, end) => `${organization} 的一个请求。此链接有效至 ${end}。`,
    noContent: '不显示内容和名称。',
    byKey: (last4) => `使用以 ${last4} 结尾的 API 密钥。`,
    byUnknown: '使用 API 密钥。',
    byPlayground: '来自 Playground。',
    key: (last4) => `… ${last4}`,
  },
}
