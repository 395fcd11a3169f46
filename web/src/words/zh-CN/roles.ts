import type { Translated } from '../translated.ts'
import type * as english from '../roles.ts'

export const roles: Translated<typeof english.roles> = {
  names: { viewer: '查看者', member: '成员', admin: '管理员', owner: '所有者' },
  as: { viewer: '查看者', member: '成员', admin: '管理员', owner: '所有者' },
  may: {
    viewer: '可查看除设置外的一切；不能更改，不能发送请求',
    member: '拥有自己的密钥和 Playground；可查看自己的用量',
    admin: '所有密钥、项目、成员、支出提醒',
    owner: '以及数据保留、登录、管理密钥、支持',
  },
}
