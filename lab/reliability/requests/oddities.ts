/** Ids that no resource has, and no path may hold. */
export const hostileIds = [
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%',
  '%zz',
  '%E0%A4%A',
  'x'.repeat(65),
  'x'.repeat(5000),
  "1'%20OR%20'1'='1",
  '%F0%9F%98%80',
  '%2F',
  '__proto__',
  '%0D%0AX-Injected:%201',
]

/** Headers that change nothing but whether a body comes. */
export const oddHeaders = [
  ['If-None-Match', '*'],
  ['If-None-Match', '"x", W/"y",, z'],
  ['X-D1-Bookmark', '00000000-00000000-00000000-00000000000000000000000000000000'],
  ['X-D1-Bookmark', 'zzzz'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Range', 'bytes=0-1'],
  ['Origin', 'https://evil.example'],
  ['Cookie', `a=${'b'.repeat(4000)}`],
  ['Accept-Language', '\u00ff'],
] as const

/** Pairs that no operation takes. */
export const unknownPairs = [
  'x=1',
  'page[size]=1',
  'filter[name]=x',
  'fields[dogs]=x',
  'fields=name',
  '__proto__=1',
  'constructor=1',
  'include[]=relatives',
  'access_token=x',
  '%ff=1',
]
