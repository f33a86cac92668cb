// Packages without types. Little of them is used, and the benchmark shows at once when a type is wrong.
declare module 'fortune'
declare module 'fortune-http'
declare module 'fortune-json-api'
declare module 'fortune-nedb'
declare module 'jsonapi-server'
