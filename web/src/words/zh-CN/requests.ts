import type { Translated } from '../translated.ts'
import type * as english from '../requests.ts'

const outcomes: Translated<typeof english.requests.outcomes> = {
  completed: '已完成',
  failed: '失败',
  abandoned: '已取消',
  lost: '丢失',
  refused: '被拒绝',
}

export const requests: Translated<typeof english.requests> = {
  title: '请求',
  sub: '最新的在前。被拒绝的请求保留 7 天。',
  sorted:
    '在最新的 2,000 个请求中，数值最高的排在最前，不含被拒绝的请求。再次点击列标题可恢复为最新的在前。',
  caption: '请求，最新的在前',
  what: '请求',
  outcomes,
  filters: { ...outcomes, errors: '失败或被拒绝' },
  status: '状态码',
  columns: {
    time: (zone) => `时间，${zone}`,
    id: '请求 ID',
    model: '模型',
    key: '密钥',
    outcome: '结果',
    input: '输入',
    output: '输出',
    cost: '费用',
    firstToken: '首个 token',
    duration: '耗时',
  },
  playground: 'Playground',
  periodName: '时间段',
  period: (from, to) => `${from} 至 ${to}`,
  pasteId: '粘贴请求 ID',
  notAnId: '请求 ID 由五组共 32 位组成，与响应头 x-request-id 中的一致。',
  empty: '尚无请求。',
  emptyText: '创建密钥并发送请求；几秒内就会显示在这里。',
  emptyFiltered: '没有请求符合这些筛选条件。',
  emptyFilteredText: '请移除筛选条件，或粘贴请求的 ID。',
}
