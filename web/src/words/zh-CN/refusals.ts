import type { Translated } from '../translated.ts'
import type * as english from '../refusals.ts'

export const refusals: Translated<typeof english.refusals> = {
  explain: '解释',
  limits: {
    requests_per_minute: '每分钟请求数',
    requests_per_day: '每 UTC 日请求数',
    tokens_per_minute: '每分钟 token 数',
    tokens_per_day: '每 UTC 日 token 数',
    concurrent_requests: '并发请求数',
    key_concurrent_requests: '每个密钥的并发请求数',
    model_concurrent_requests: '每个模型的并发请求数',
    key_requests_per_minute: '每个密钥每分钟的请求数',
    key_spending: '密钥的支出限额',
    project_spending: '项目的支出限额',
    balance: '余额',
  },
  exceeded: (limits, later) => `${limits}${later === '' ? '' : `：${later}后即可被接受`}。`,
  field: (param) => `与 ${param} 有关。`,
  byKey: (key) => `密钥 ${key}。`,
}
