import type { Translated } from '../translated.ts'
import type * as english from '../meters.ts'

export const meters: Translated<typeof english.meters> = {
  title: '速率限制，实时',
  names: {
    requests_per_minute: '每分钟请求数',
    tokens_per_minute: '每分钟 token 数',
    requests_per_day: '每 UTC 日请求数',
    tokens_per_day: '每 UTC 日 token 数',
  },
  of: '/ {limit}',
  used: (used, limit) => `已用 ${used} / ${limit}`,
  left: (left) => `剩余 ${left}`,
  fullIn: (span) => `${span}后恢复`,
  full: '已满',
  resetsAt: (time) => `${time} 重置`,
  unknown: '目前无法获取限额。',
  unknownText: '限额仍然有效，请求照常处理。',
  dayOver: (share) => `UTC 日已过 ${share}`,
}
