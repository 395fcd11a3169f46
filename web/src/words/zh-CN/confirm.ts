import type { Translated } from '../translated.ts'
import type * as english from '../confirm.ts'

export const confirm: Translated<typeof english.confirm> = {
  title: '确认是您本人',
  text: '此操作需要在最近十分钟内确认过身份。',
  password: '密码',
  code: '应用中的验证码',
  submit: '确认',
  passkey: '使用通行密钥',
  useCode: '使用应用中的验证码',
  usePassword: '使用密码',
  sso: (name) => `通过 ${name} 确认`,
  ssoText: '之后您会返回此页面，请再重复刚才的操作。',
  or: '或',
  none: '此账户没有可用的确认方式。请重新登录。',
}
