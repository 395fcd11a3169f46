import type { Translated } from '../translated.ts'
import type * as english from '../request-minute.ts'

// Figures between asterisks are shown in bold.

export const requestMinute: Translated<typeof english.requestMinute> = {
  title: '同一分钟内',
  what: '请求所在的分钟',
  meta: (from) => `自 ${from}`,
  most: {
    queued: (part, whole) => `在总共 *${whole}* 中，最长的部分是等待 slot：*${part}*。`,
    reading: (part, whole) =>
      `在总共 *${whole}* 中，最长的部分是从获得 slot 到首个 token：*${part}*。`,
    answer: (part, whole) => `在总共 *${whole}* 中，最长的部分是自首个 token 起的回答：*${part}*。`,
  },
  notTimed: '其时间未知。',
  longer: (median) => `耗时长于该分钟内此模型的中位数 *${median}*。`,
  shorter: (median) => `耗时不长于该分钟内此模型的中位数 *${median}*。`,
  table: '此请求与其模型的中位数对比',
  part: '时间',
  own: '此请求',
  median: (count) => `${count} 个的中位数`,
  rows: {
    queued_ms: '等待 slot',
    first_token_ms: '首个 token',
    duration_ms: '耗时',
  },
  facts: {
    began: '开始的请求',
    newest: (count) => `超过 ${count} 个；对比其中最新的 ${count} 个`,
    unfinished: '失败、取消或丢失',
    refused: '被拒绝',
    engines: '引擎状态',
  },
  notKnown: '未知',
  notStored: '未知：未存储',
}
