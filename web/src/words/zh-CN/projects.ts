import { countedUpTo } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../projects.ts'

export const projects: Translated<typeof english.projects> = {
  title: '项目',
  sub: '项目将密钥归为一组，并可设置每月支出限额（UTC）。',
  create: '新建项目',
  createButton: '创建项目',
  created: (name) => `已创建项目 ${name}。`,
  columns: { name: '项目', keys: '密钥', spent: '本月支出（UTC）', created: '创建时间' },
  noLimit: '无限额',
  ofLimitShort: (limit) => `/ ${limit}`,
  archived: '已归档',
  archivedColumns: { name: '项目', on: '归档时间', spent: '本月支出（UTC）' },
  none: '尚无项目。',
  noneText: '每个密钥都属于一个项目。',
  name: '名称',
  limit: '每月支出限额',
  limitHint: '达到后，此项目密钥的请求将被拒绝，直至月底（UTC）。留空：无限额。',
}

export const project: Translated<typeof english.project> = {
  title: '项目',
  crumb: '项目',
  thisMonth: (month) => `${month}（UTC）`,
  spent: '至今支出',
  left: '距限额剩余',
  limit: '限额',
  overLimit: '已用完：请求将被拒绝，直至月底。',
  requests: '请求',
  usageLink: '显示用量',
  keys: '密钥',
  keysLink: '显示所有密钥',
  keysColumns: { name: '密钥', shown: '开头和结尾', used: '上次使用', expires: '过期时间' },
  noKeys: '此项目中没有有效的密钥。',
  settings: '设置',
  saved: '项目已更改。',
  id: '项目 ID',
  created: '创建时间',
  archiveCard: '归档',
  archive: '归档',
  archiveText: '其密钥从下一次请求起永久失效。用量、请求和审计会保留。',
  archiveTitle: (name) => `归档 ${name}？`,
  archiveDescription: (keys) =>
    countedUpTo(keys, {
      other: '此项目的 # 个密钥从下一次请求起在所有进程上失效。此操作无法撤销。',
    }),
  archiveNoKeys: '它没有有效的密钥，之后也无法在其中创建新的。此操作无法撤销。',
  archiveButton: '归档项目',
  archivedNow: (name) => `项目 ${name} 已归档。`,
  isArchived: (date) => `已于 ${date} 归档。其密钥已失效。`,
}
