import type { Translated } from '../translated.ts'
import type * as english from '../suspension.ts'

export const suspension: Translated<typeof english.suspension> = {
  suspend: '停用组织',
  title: (name) => `停用 ${name}？`,
  text:
    '从下一个请求起，其 API 密钥和 Playground 都会返回 403。成员仍可进入控制台，并在那里看到原因。' +
    '不会删除任何内容，您可以随时解除停用。',
  reason: '原因',
  reasonHint: '所有成员都能看到。',
  suspended: (name) => `${name} 已停用。`,
  since: (time, reason) => `自 ${time} 起停用：${reason}`,
  lift: '解除停用',
  liftTitle: (name) => `解除对 ${name} 的停用？`,
  liftText: '从下一个请求起，其 API 密钥和 Playground 恢复可用。',
  lifted: (name) => `${name} 已恢复使用。`,
  tag: '已停用',
}
